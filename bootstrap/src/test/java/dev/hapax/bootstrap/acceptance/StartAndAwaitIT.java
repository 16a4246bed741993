package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Duration;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StartRunsRequest;
import io.grpc.Status.Code;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** StartRun with a wait. */
@Tag("secured")
class StartAndAwaitIT {
  private static final Duration LONG = Caller.seconds(30);
  private static final int PATIENCE_SECONDS = 20;

  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  private StartRunRequest.Builder waiting(Duration wait) {
    return caller.start("order").setIdempotencyKey("key").setWait(wait);
  }

  private static StartRunResponse answer(ListenableFuture<StartRunResponse> call) throws Exception {
    return call.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  @DisplayName("a start that waits is answered with the run that has ended")
  void ended() throws Exception {
    caller.define("order", RunCaller.task("charge"));
    var call = caller.futures().startRun(waiting(LONG).build());
    var _ = caller.complete(caller.poll("worker").getClaim(), "\"done\"");

    var answer = answer(call);
    assertThat(answer.getCreated()).isTrue();
    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(answer.getRun()).isEqualTo(caller.get(answer.getRun().getId()));
    assertThat(answer.getRun().getOutput().getJson()).isEqualTo("\"done\"");

    var repeat = caller.send(waiting(LONG));
    assertThat(repeat.getCreated()).isFalse();
    assertThat(repeat.getRun()).isEqualTo(answer.getRun());
  }

  @Test
  @DisplayName("a start that waits in vain is answered with the run as it is")
  void stillOpen() {
    caller.define("order", RunCaller.task("charge"));
    var answer = caller.send(waiting(Caller.millis(50)));
    assertThat(answer.getCreated()).isTrue();
    assertThat(answer.getRun().getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
  }

  @Test
  @DisplayName("a repeated start, and one that another run answers, wait for the end of that run")
  void ofOther() throws Exception {
    caller.define("order", RunCaller.task("charge"));
    var hook =
        StartRunRequest.Hook.newBuilder()
            .setToken("token")
            .setOnConflict(OnConflict.ON_CONFLICT_USE_EXISTING);
    var first = caller.send(caller.start("order").setIdempotencyKey("key").addHooks(hook));
    var repeat = caller.futures().startRun(waiting(LONG).addHooks(hook).build());
    var duplicate =
        caller.futures().startRun(caller.start("order").addHooks(hook).setWait(LONG).build());
    assertThat(caller.send(waiting(Caller.millis(50)).addHooks(hook)).getRun().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_PENDING);
    var _ = caller.complete(caller.poll("worker").getClaim(), "1");

    assertThat(answer(repeat).getDisposition()).isEqualTo(Disposition.DISPOSITION_EXISTING);
    assertThat(answer(repeat).getRun()).isEqualTo(caller.get(first.getRun().getId()));
    var used = answer(duplicate);
    assertThat(used.getDisposition()).isEqualTo(Disposition.DISPOSITION_USED_EXISTING);
    assertThat(used.getRun()).isEqualTo(answer(repeat).getRun());
    assertThat(used.getOwner().getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given a worker at another server, then a start that waits is answered, too")
  void elsewhere() throws Exception {
    caller.define("order", RunCaller.task("charge"));
    try (var other = deployment.add();
        var there = caller.via(other.awaitReady())) {
      var call = caller.futures().startRun(waiting(LONG).build());
      var _ = there.complete(there.poll("worker").getClaim(), "1");
      assertThat(answer(call).getRun().getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
  }

  @Test
  @DisplayName("starts that are refused do not wait")
  void refused() {
    var missing = Refusal.of(() -> caller.send(waiting(LONG)));
    assertThat(missing.code()).isEqualTo(Code.NOT_FOUND);
    caller.define("order", RunCaller.task("charge"));
    assertThat(Refusal.of(() -> caller.send(waiting(Caller.seconds(31)))).fields())
        .containsExactly("wait");
    var batch =
        caller
            .runs()
            .startRuns(
                StartRunsRequest.newBuilder()
                    .setWorkspace(caller.workspace())
                    .addRequests(waiting(LONG))
                    .build())
            .getResults(0)
            .getError();
    assertThat(batch.getMessage()).contains("wait", "a batch does not wait");
    assertThat(caller.list()).isEmpty();
  }
}
