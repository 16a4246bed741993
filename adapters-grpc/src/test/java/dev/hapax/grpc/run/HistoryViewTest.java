package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.HistoryView;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.RunEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HistoryViewTest {
  private final Service service = new Service();

  @BeforeEach
  void define() {
    service.define("order", Service.task("charge"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  @Test
  @DisplayName("given the view BASIC, then events and steps are listed without payloads")
  void basic() {
    var start = Service.start().setInput(Service.json("{\"order\": 1}")).build();
    var id = service.runs().startRun(start).getRun().getId();
    var details = Failure.newBuilder().setCode("BUSY").setDetails(Service.json("[1]"));
    var failure =
        FailTaskRequest.newBuilder().setClaim(service.poll().getClaim()).setFailure(details);
    assertThat(service.worker().failTask(failure.build()).hasFailed()).isTrue();

    var request = ListRunEventsRequest.newBuilder().setRunId(id);
    var full = service.runs().listRunEvents(request.build()).getEventsList();
    assertThat(full.getFirst().getCreated().getInput()).isEqualTo(start.getInput());
    assertThat(full.getLast().getRetryScheduled().getFailure()).isEqualTo(details.build());
    request.setView(HistoryView.HISTORY_VIEW_FULL);
    assertThat(service.runs().listRunEvents(request.build()).getEventsList()).isEqualTo(full);

    request.setView(HistoryView.HISTORY_VIEW_BASIC);
    var basic = service.runs().listRunEvents(request.build()).getEventsList();
    assertThat(basic)
        .extracting(RunEvent::getVersion)
        .isEqualTo(full.stream().map(RunEvent::getVersion).toList());
    assertThat(basic.getFirst().getCreated())
        .isEqualTo(full.getFirst().getCreated().toBuilder().clearInput().build());
    assertThat(basic.getLast().getRetryScheduled().getFailure())
        .isEqualTo(details.clone().clearDetails().build());

    request.setViewValue(99);
    assertThat(Service.refusal(() -> service.runs().listRunEvents(request.build())).fields())
        .containsExactly("view");
  }

  @Test
  @DisplayName("given the view BASIC, then steps are listed without outputs")
  void steps() {
    var id = service.started().getId();
    var completion =
        Service.completion(service.poll().getClaim()).setOutput(Service.json("7")).build();
    assertThat(service.worker().completeTask(completion).hasCompleted()).isTrue();

    var request = ListStepsRequest.newBuilder().setRunId(id);
    var full = service.runs().listSteps(request.build()).getSteps(0);
    assertThat(full.getOutput()).isEqualTo(Service.json("7"));
    request.setView(HistoryView.HISTORY_VIEW_BASIC);
    assertThat(service.runs().listSteps(request.build()).getSteps(0))
        .isEqualTo(full.toBuilder().clearOutput().build());
  }
}
