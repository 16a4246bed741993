package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StepDefinition;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The worker of the examples in Node, with steps that take long, fail, or answer too much. */
@Tag("fault")
@Tag("long")
class NodeWorkerIT {
  private static final String HEARTBEAT = "call HeartbeatTasks";
  private static final String POLL = "call PollTasks";

  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());

  @BeforeAll
  static void install() throws IOException {
    Npm.prepare();
  }

  @AfterEach
  void close() {
    caller.close();
  }

  private HapaxProcess worker() {
    return Npm.program(deployment.target(), "tasks.mjs", caller.workspace(), RunCaller.QUEUE);
  }

  /** Its steps have a lease that a busy machine can keep. */
  private String started(String... steps) {
    var name = String.join("-", steps);
    caller.define(name, Stream.of(steps).map(NodeWorkerIT::step).toArray(StepDefinition[]::new));
    return caller.started(name);
  }

  private static StepDefinition step(String name) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTask(RunCaller.work(Caller.seconds(5)))
        .build();
  }

  private Run completed(String runId) {
    var run = caller.awaitEnd(runId);
    assertThat(run.getStatus()).as("%s", run).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    return run;
  }

  private int attempt(String runId) {
    return caller.steps(runId).getFirst().getAttempt();
  }

  private static long count(HapaxProcess worker, String call) {
    return worker.output().stream().filter(call::equals).count();
  }

  private static void stop(HapaxProcess worker) {
    worker.terminate();
    assertThat(worker.awaitExit()).as("errors: %s", worker.errors()).isZero();
  }

  @Test
  @DisplayName(
      "three steps that take longer than two leases share a heartbeat at a third of the lease")
  void heartbeats() {
    try (var worker = worker()) {
      var runs = List.of(started("slow"), caller.started("slow"), caller.started("slow"));
      for (var run : runs) {
        assertThat(completed(run).getOutput()).isEqualTo(Caller.json("\"done\""));
        assertThat(attempt(run)).isEqualTo(1);
      }
      stop(worker);
      // at a third of the lease while there is a step; a try that does not get through is repeated
      assertThat(count(worker, HEARTBEAT)).isBetween(4L, 40L);
      assertThat(worker.errors()).isEmpty();
    }
  }

  @Test
  @Tag("fault")
  @Tag("long")
  @DisplayName("polls that find nothing for 20 s follow one another without an error")
  void emptyPolls() {
    try (var worker = worker()) {
      Condition.await("two empty polls", Duration.ofMinutes(2), () -> count(worker, POLL) == 3);
      assertThat(completed(started("nothing")).hasOutput()).isFalse();
      stop(worker);
      assertThat(worker.errors()).isEmpty();
    }
  }

  @Test
  @DisplayName("a step without a result completes, and the next one follows")
  void voidSteps() {
    try (var worker = worker()) {
      assertThat(completed(started("nothing", "breaks")).getOutput()).isEqualTo(Caller.json("3"));
      stop(worker);
    }
  }

  @Test
  @DisplayName("an unknown exception is another attempt of the same step")
  void unknownFailure() {
    try (var worker = worker()) {
      var run = started("breaks");
      assertThat(completed(run).getOutput()).isEqualTo(Caller.json("3"));
      assertThat(attempt(run)).isEqualTo(3);
      stop(worker);
      assertThat(worker.output()).anyMatch(line -> line.endsWith("failed: attempt 1 broke"));
    }
  }

  @Test
  @DisplayName("a result that cannot be stored fails the step for good, and says so")
  void refusedCompletion() {
    try (var worker = worker()) {
      for (var step : List.of("large", "huge", "unserializable")) {
        var run = started(step);
        var failed = caller.awaitEnd(run);
        assertThat(failed.getStatus()).as(step).isEqualTo(RunStatus.RUN_STATUS_FAILED);
        assertThat(failed.getFailure().getCode()).isEqualTo("RESULT_REFUSED");
        assertThat(failed.getFailure().getMessage())
            .startsWith("the step was done, but its result cannot be stored: ");
        assertThat(attempt(run)).isEqualTo(1);
      }
      stop(worker);
    }
  }

  @Test
  @DisplayName("the work of a cancelled run is stopped")
  void cancelled() {
    try (var worker = worker()) {
      var run = started("waits");
      var _ = worker.awaitOutput("waits"::equals);
      var _ =
          caller
              .runs()
              .cancelRun(
                  CancelRunRequest.newBuilder()
                      .setWorkspace(caller.workspace())
                      .setRunId(run)
                      .build());
      var _ = worker.awaitOutput(line -> line.startsWith(run + " waits: attempt 1 stopped"));
      stop(worker);
    }
  }

  @Test
  @DisplayName("SIGTERM: the step under way completes, and the next one is left to other workers")
  void drains() {
    var run = started("slow", "nothing");
    try (var worker = worker()) {
      var _ = worker.awaitOutput(HEARTBEAT::equals);
      stop(worker);
      assertThat(worker.output()).contains(run + " slow: completed");
    }
    assertThat(caller.get(run).getCurrentStep()).isEqualTo("nothing");
    try (var another = worker()) {
      completed(run);
      stop(another);
    }
  }

  @Test
  @DisplayName("a step that the worker does not know is given back, and costs no attempt")
  void unknownStep() {
    try (var worker = worker()) {
      var run = started("other");
      var _ = worker.awaitError((run + " other: this worker does not know the step")::equals);
      completed(started("nothing"));
      stop(worker);
      var task = caller.poll("another");
      assertThat(task.getRun().getId()).isEqualTo(run);
      assertThat(task.getStep().getAttempt()).isEqualTo(1);
      assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
    }
  }
}
