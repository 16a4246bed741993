package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Task;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Calls for a task that are cut at some moment while they are granted, and sent again. The signal
 * in the inbox makes the server read between the grant and the answer, where most cuts hit.
 */
@Tag("fault")
@Tag("long")
class TaskDeliveryIT {
  private static final int TIMES = 1_000;
  private static final int LATEST_MICROS = 6_000;

  /** A moment in which the database is slow, so that the signal and the claim meet in one batch. */
  private static final long SLOW_NANOS = 60_000_000;

  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());
  private final RunCaller rival = caller.via(deployment.target());
  private final Random random = new Random(1);

  @BeforeEach
  void define() {
    caller.define("order", RunCaller.task("a"), RunCaller.task("b"));
  }

  @AfterEach
  void close() {
    rival.close();
    caller.close();
  }

  @Test
  @DisplayName("a task that a poll delivered again has one holder, 1,000 times [R8]")
  void polledAgain() {
    for (var i = 0; i < TIMES; i++) {
      var run = caller.started("order");
      caller.signal(run, "signal", "note");
      var poll = caller.polling("worker").build();
      var cut = caller.workers().pollTasks(poll);
      pause();
      var again = caller.workers().pollTasks(poll);
      pause();
      cut.cancel(true);
      requireHeld(Futures.getUnchecked(again).getTasksList(), i);
      end(run);
    }
  }

  @Test
  @DisplayName("a next task that a completion delivered again has one holder, 1,000 times [R8]")
  void completedAgain() {
    for (var i = 0; i < TIMES; i++) {
      var run = caller.started("order");
      caller.signal(run, "signal", "note");
      var completion = completion(caller.poll("worker"));
      var cut = caller.workers().completeTask(completion);
      pause();
      var again = caller.workers().completeTask(completion);
      pause();
      cut.cancel(true);
      var completed = Futures.getUnchecked(again).getCompleted();
      if (completed.hasNext()) {
        requireHeld(List.of(completed.getNext()), i);
      }
      end(run);
    }
  }

  @Test
  @DisplayName(
      "given a run that is signalled while a poll claims it, then the answer has its task once, 20"
          + " times [R8, kill-loops-1]")
  void signalledWhileClaimed() throws Exception {
    for (var i = 0; i < 20; i++) {
      // the server knows then that the queue is empty, and offers the run as soon as it is started
      assertThat(caller.poll(caller.polling("look").setWait(Caller.millis(0)))).isEmpty();
      var run = caller.started("order");
      try (var slow = deployment.database().connect();
          var lock = slow.createStatement()) {
        slow.setAutoCommit(false);
        lock.execute("SELECT 1 FROM hapax.run FOR UPDATE");
        var signal = CompletableFuture.runAsync(() -> caller.signal(run, "signal", "note"));
        LockSupport.parkNanos(SLOW_NANOS);
        var poll = caller.workers().pollTasks(caller.polling("worker").setMaxTasks(2).build());
        LockSupport.parkNanos(SLOW_NANOS);
        slow.rollback();
        signal.join();
        assertThat(Futures.getUnchecked(poll).getTasksList()).as("time %d", i).hasSize(1);
      }
      end(run);
    }
  }

  private CompleteTaskRequest completion(Task task) {
    return caller.completion(task.getClaim()).setWantNext(true).build();
  }

  private void pause() {
    LockSupport.parkNanos(random.nextInt(LATEST_MICROS) * 1_000L);
  }

  /** A worker that was answered with a task holds it, and no other one is given it. */
  private void requireHeld(List<Task> tasks, int time) {
    assertThat(tasks).as("time %d", time).hasSize(1);
    var other =
        PollTasksRequest.newBuilder()
            .setWorkspace(rival.workspace())
            .addQueues(RunCaller.QUEUE)
            // a worker that polls in vain again and again would be slowed down
            .setWorkerId("rival-" + time)
            .setAttemptId(UUID.randomUUID().toString())
            .setWait(Caller.millis(5))
            .build();
    assertThat(rival.worker().pollTasks(other).getTasksList()).as("time %d", time).isEmpty();
    var heartbeat =
        HeartbeatTasksRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .addClaims(tasks.getFirst().getClaim())
            .build();
    assertThat(caller.worker().heartbeatTasks(heartbeat).getResults(0).hasRenewed())
        .as("time %d", time)
        .isTrue();
    assertThat(caller.worker().completeTask(completion(tasks.getFirst())).hasCompleted()).isTrue();
  }

  /** So that the next time begins with an empty queue; no attempt was lost. */
  private void end(String run) {
    assertThat(caller.steps(run)).allMatch(step -> step.getAttempt() <= 1);
    if (caller.get(run).getStatus() != RunStatus.RUN_STATUS_COMPLETED) {
      var request = CancelRunRequest.newBuilder().setWorkspace(caller.workspace()).setRunId(run);
      assertThat(caller.runs().cancelRun(request.build()).hasRun()).isTrue();
    }
  }
}
