package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The verbs of operators and the calls for tokens say whether they changed anything. */
class RepeatedVerbsTest {
  private static final String TOKEN = "order/1";

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
  @DisplayName(
      "given a run that is paused, resumed or cancelled already, then the answer says so [R7]")
  void controls() {
    var id = service.started().getId();
    var task = service.poll();
    var running = ResumeRunRequest.newBuilder().setRunId(id).build();
    assertThat(service.runs().resumeRun(running).getAlready()).isTrue();

    var pause = PauseRunRequest.newBuilder().setRunId(id).build();
    assertThat(service.runs().pauseRun(pause).getAlready()).isFalse();
    var paused = service.runs().pauseRun(pause);
    assertThat(paused.getAlready()).isTrue();
    assertThat(paused.getRun()).isEqualTo(service.get(task.getRun().getId()));

    assertThat(service.runs().resumeRun(running).getAlready()).isFalse();
    var cancel = CancelRunRequest.newBuilder().setRunId(id).build();
    assertThat(service.runs().cancelRun(cancel).getAlready()).isFalse();
    assertThat(service.runs().cancelRun(cancel).getAlready()).isTrue();
  }

  @Test
  @DisplayName(
      "given a retry that is sent again, while the run goes on or after it failed anew, then the"
          + " answer says so [R7]")
  void retry() {
    var id = service.started().getId();
    failTask();
    var retry = RetryRunRequest.newBuilder().setRunId(id).setRequestId("again").build();
    assertThat(service.runs().retryRun(retry).getAlready()).isFalse();
    assertThat(service.runs().retryRun(retry).getAlready()).isTrue();
    var other = retry.toBuilder().setRequestId("another").build();
    assertThat(service.runs().retryRun(other).getAlready()).isTrue();

    failTask();
    assertThat(service.runs().retryRun(retry).getAlready()).isTrue();
    assertThat(service.runs().retryRun(other).getAlready()).isFalse();
  }

  private void failTask() {
    var failure =
        FailTaskRequest.newBuilder()
            .setClaim(service.poll().getClaim())
            .setKind(FailureKind.FAILURE_KIND_FINAL)
            .setFailure(Failure.newBuilder().setCode("DECLINED"))
            .build();
    assertThat(service.worker().failTask(failure).hasFailed()).isTrue();
  }

  @Test
  @DisplayName("given a token that the run owns or lost already, then the answer says so [H2, H9]")
  void tokens() {
    var id = service.started().getId();
    var create = CreateHookRequest.newBuilder().setRunId(id).setToken(TOKEN).build();
    var created = service.hooks().createHook(create);
    assertThat(created.getAlready()).isFalse();
    assertThat(service.hooks().createHook(create))
        .isEqualTo(created.toBuilder().setAlready(true).build());

    var other = create.toBuilder().setRunId(service.started().getId()).build();
    var conflict = service.hooks().createHook(other);
    assertThat(conflict.hasConflict()).isTrue();
    assertThat(conflict.getAlready()).isFalse();

    var dispose = DisposeHookRequest.newBuilder().setToken(TOKEN).setRunId(id).build();
    var disposed = service.hooks().disposeHook(dispose);
    assertThat(disposed.getAlready()).isFalse();
    assertThat(service.hooks().disposeHook(dispose))
        .isEqualTo(disposed.toBuilder().setAlready(true).build());
  }

  @Test
  @DisplayName("given a disposal with a reason, then it is in the history of the run [H9]")
  void reason() {
    var id = service.started().getId();
    var create = CreateHookRequest.newBuilder().setRunId(id).setToken(TOKEN).build();
    assertThat(service.hooks().createHook(create).hasHook()).isTrue();
    var dispose = DisposeHookRequest.newBuilder().setToken(TOKEN).setReason("wrong order");
    assertThat(service.hooks().disposeHook(dispose.build()).hasHook()).isTrue();

    var events = ListRunEventsRequest.newBuilder().setRunId(id).build();
    assertThat(service.runs().listRunEvents(events).getEventsList().getLast().getHookDisposed())
        .extracting(RunEvent.HookDisposed::getReason)
        .isEqualTo("wrong order");

    var tooLong = dispose.setReason("r".repeat(256)).build();
    var refused = Service.refusal(() -> service.hooks().disposeHook(tooLong));
    assertThat(refused.reason()).isEqualTo("INVALID_FIELD");
    assertThat(refused.fields()).containsExactly("reason");
  }
}
