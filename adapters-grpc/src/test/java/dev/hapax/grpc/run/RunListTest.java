package dev.hapax.grpc.run;

import static dev.hapax.grpc.run.Service.json;
import static dev.hapax.grpc.run.Service.start;
import static dev.hapax.grpc.run.Service.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.RunView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunListTest {
  private final Service service = new Service();

  // started in this order, a minute apart; those that ended did so at once
  private String failed = "";
  private String cancelled = "";
  private String completed = "";
  private String pending = "";

  @BeforeEach
  void runs() {
    service.define("order", task("a"));
    service.define("other", task("a"));
    failed = started("order");
    var task = service.poll();
    var _ =
        service
            .worker()
            .failTask(
                FailTaskRequest.newBuilder()
                    .setClaim(task.getClaim())
                    .setKind(FailureKind.FAILURE_KIND_FINAL)
                    .setFailure(
                        Failure.newBuilder().setCode("DECLINED").setDetails(json("{\"a\":1}")))
                    .build());
    cancelled = started("other");
    var _ = service.runs().cancelRun(CancelRunRequest.newBuilder().setRunId(cancelled).build());
    completed = started("order");
    var _ =
        service
            .worker()
            .completeTask(
                Service.completion(service.poll().getClaim()).setOutput(json("2")).build());
    pending = started("other");
  }

  @AfterEach
  void close() {
    service.close();
  }

  private String started(String definition) {
    service.timer.advance(Duration.ofMinutes(1));
    var request = start().setDefinition(definition).setInput(json("1")).putLabels("shop", "1");
    return service.runs().startRun(request.build()).getRun().getId();
  }

  private List<Run> list(ListRunsRequest.Builder request) {
    var found = new ArrayList<Run>();
    do {
      var page = service.runs().listRuns(request.build());
      found.addAll(page.getRunsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return found;
  }

  private List<String> ids(ListRunsRequest.Builder request) {
    return list(request).stream().map(Run::getId).toList();
  }

  private static ListRunsRequest.Builder request() {
    return ListRunsRequest.newBuilder();
  }

  private Timestamp createdAt(String id) {
    return service.get(id).getCreatedAt();
  }

  @Test
  @DisplayName("given several statuses, then matching runs are listed page by page")
  void statuses() {
    var ended =
        request()
            .addStatuses(RunStatus.RUN_STATUS_COMPLETED)
            .addStatuses(RunStatus.RUN_STATUS_FAILED)
            .addStatuses(RunStatus.RUN_STATUS_FAILED);
    assertThat(ids(ended)).containsExactly(completed, failed);
    assertThat(ids(ended.setPageSize(1))).containsExactly(completed, failed);
    assertThat(ids(request().addStatuses(RunStatus.RUN_STATUS_WAITING))).isEmpty();
  }

  @Test
  @DisplayName("given several definitions, then matching runs are listed")
  void definitions() {
    assertThat(ids(request().addDefinitions("order"))).containsExactly(completed, failed);
    assertThat(ids(request().addDefinitions("order").addDefinitions("other"))).hasSize(4);
    assertThat(ids(request().addDefinitions("none"))).isEmpty();
  }

  @Test
  @DisplayName("given a failure code, then matching runs are listed")
  void failureCode() {
    assertThat(ids(request().setFailureCode("DECLINED"))).containsExactly(failed);
    assertThat(ids(request().setFailureCode("OTHER"))).isEmpty();
    var completedOnes = request().addStatuses(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(ids(completedOnes.setFailureCode("DECLINED"))).isEmpty();
  }

  @Test
  @DisplayName("given a range of end times, then only ended runs are listed")
  void ends() {
    var since = request().setEndedAfter(createdAt(cancelled));
    assertThat(ids(since)).containsExactly(completed, cancelled);
    assertThat(ids(since.setEndedBefore(createdAt(completed)))).containsExactly(cancelled);
    assertThat(ids(request().setEndedBefore(createdAt(cancelled)))).containsExactly(failed);
    assertThat(ids(request().setCreatedAfter(createdAt(cancelled))))
        .containsExactly(pending, completed, cancelled);
    assertThat(
            ids(
                request()
                    .setEndedAfter(createdAt(failed))
                    .addStatuses(RunStatus.RUN_STATUS_PENDING)))
        .isEmpty();
  }

  @Test
  @DisplayName(
      "given the FULL view, then runs are as in GetRun; given BASIC, then without payloads")
  void views() {
    var full = list(request().setView(RunView.RUN_VIEW_FULL));
    assertThat(full)
        .hasSize(4)
        .allSatisfy(run -> assertThat(run).isEqualTo(service.get(run.getId())));
    assertThat(full).allMatch(run -> run.hasInput() && run.hasState());
    for (var view : List.of(RunView.RUN_VIEW_UNSPECIFIED, RunView.RUN_VIEW_BASIC)) {
      assertThat(list(request().setView(view)))
          .hasSize(4)
          .noneMatch(
              run ->
                  run.hasInput()
                      || run.hasState()
                      || run.hasOutput()
                      || run.getFailure().hasDetails());
    }
    var basic = list(request().setFailureCode("DECLINED"));
    assertThat(basic).extracting(run -> run.getFailure().getCode()).containsExactly("DECLINED");
  }

  @Test
  @DisplayName("given large runs, then a page ends at 1 MiB and the next one continues")
  void large() {
    var large = json("\"" + "x".repeat(200_000) + "\"");
    var ids = new ArrayList<String>();
    for (var i = 0; i < 8; i++) {
      service.timer.advance(Duration.ofMinutes(1));
      ids.addFirst(
          service
              .runs()
              .startRun(start().setInput(large).putLabels("large", "1").build())
              .getRun()
              .getId());
    }
    var request = request().putLabels("large", "1").setView(RunView.RUN_VIEW_FULL);
    assertThat(service.runs().listRuns(request.build()).getRunsList()).hasSize(5);
    assertThat(ids(request)).isEqualTo(ids);
  }
}
