package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("A7")
@Tag("fault")
class WorkerFaultsIT {
  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());
  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void define() {
    caller.define(
        "order",
        StepDefinition.newBuilder()
            .setName("charge")
            .setTask(RunCaller.work(Caller.seconds(4)))
            .build());
  }

  @AfterEach
  void close() {
    caller.close();
  }

  private Path done() {
    return folder.resolve("done");
  }

  private HapaxProcess worker(String name, boolean streams) {
    return HapaxProcess.startMain(
        WorkerMain.class.getName(),
        Map.of(),
        deployment.target(),
        caller.workspace(),
        name,
        done().toString(),
        String.valueOf(streams));
  }

  private static String begun(HapaxProcess worker, int attempt) {
    var end = " attempt " + attempt;
    var line = worker.awaitOutput(said -> said.startsWith(WorkerMain.BEGINS) && said.endsWith(end));
    return line.substring(WorkerMain.BEGINS.length(), line.length() - end.length());
  }

  /** Its lease is short, so that only its heartbeats can keep it. */
  private void awaitRenewed(String runId) {
    var until = step(runId).getLeaseUntil();
    Condition.await("renewed", () -> !step(runId).getLeaseUntil().equals(until));
  }

  private Step step(String runId) {
    return caller.steps(runId).getFirst();
  }

  private void assertCompletedOnce(String runId) {
    assertThat(caller.get(runId).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(caller.events(runId))
        .extracting(RunEvent::getType)
        .containsExactly(
            RunEventType.RUN_EVENT_TYPE_CREATED,
            RunEventType.RUN_EVENT_TYPE_STEP_STARTED,
            RunEventType.RUN_EVENT_TYPE_LEASE_LOST,
            RunEventType.RUN_EVENT_TYPE_STEP_STARTED,
            RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED,
            RunEventType.RUN_EVENT_TYPE_COMPLETED);
  }

  @ParameterizedTest(name = "streams: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("a worker is killed in the midst of a step: another one does it, once [R12]")
  void killed(boolean streams) throws IOException {
    var id = caller.started("order");
    String stepId;
    try (var first = worker("first", streams)) {
      stepId = begun(first, 1);
      awaitRenewed(id);
      first.kill9();
    }
    try (var second = worker("second", streams)) {
      assertThat(begun(second, 2)).isEqualTo(stepId);
      Files.createFile(done());
      Condition.await(
          "the run ends",
          Duration.ofSeconds(30),
          () -> caller.get(id).getStatus() == RunStatus.RUN_STATUS_COMPLETED);
    }
    assertThat(step(id).getAttempt()).isEqualTo(2);
    assertCompletedOnce(id);
  }

  @ParameterizedTest(name = "streams: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "given a worker stopped past its lease, when it continues, then it is rejected "
          + "[R8, R12]")
  void stopped(boolean streams) throws IOException {
    var id = caller.started("order");
    try (var first = worker("first", streams)) {
      var stepId = begun(first, 1);
      awaitRenewed(id);
      first.stop();

      var second = caller.poll("second");
      assertThat(second.getStep().getId()).isEqualTo(stepId);
      assertThat(second.getStep().getAttempt()).isEqualTo(2);
      assertThat(caller.complete(second.getClaim(), "\"second\"").hasCompleted()).isTrue();
      var after = caller.get(id);

      // its completion or an earlier heartbeat gets the answer
      Files.createFile(done());
      first.cont();
      first.awaitOutput((WorkerMain.ENDS + stepId)::equals);
      first.awaitError(line -> line.contains(" lost: "));

      assertThat(caller.get(id)).isEqualTo(after);
      assertThat(after.getOutput()).isEqualTo(Caller.json("\"second\""));
    }
    assertCompletedOnce(id);
  }

  @Test
  @DisplayName("what a worker sends past its lease is claim_lost while another one works [R8]")
  void late() {
    var id = caller.started("order");
    var first = caller.poll("first");
    var second = caller.poll("second");
    assertThat(caller.complete(first.getClaim(), "1").getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(caller.complete(second.getClaim(), "2").hasCompleted()).isTrue();
    assertThat(caller.complete(first.getClaim(), "1").hasClaimLost()).isTrue();
    assertThat(caller.complete(second.getClaim(), "2").getCompleted().getAlready()).isTrue();
    assertThat(caller.get(id).getOutput()).isEqualTo(Caller.json("2"));
    assertCompletedOnce(id);
  }
}
