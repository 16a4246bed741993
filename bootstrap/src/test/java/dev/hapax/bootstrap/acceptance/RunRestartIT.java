package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunRestartIT {
  private static final int RUNS = 500;
  private static final int WORKERS = 8;

  @Test
  @DisplayName("X2, R12: a server killed with 500 runs in flight: another one finishes all, once")
  void killed() {
    try (var deployment = Deployment.start();
        var first = RunCaller.to(deployment.target())) {
      var second = deployment.add();
      try (var other = first.via(second.awaitReady())) {
        first.define("order", RunCaller.shortTask("a"), RunCaller.shortTask("b"));
        var ids = new ArrayList<String>();
        for (var i = 0; i < RUNS; i++) {
          ids.add(first.send(first.start("order").setIdempotencyKey("run-" + i)).getRun().getId());
        }
        var over = new AtomicBoolean();
        var workers = new ArrayList<Thread>();
        for (var i = 0; i < WORKERS; i++) {
          var caller = i % 2 == 0 ? first : other;
          var name = "worker-" + i;
          workers.add(Thread.ofVirtual().start(() -> work(caller, other, name, over)));
        }
        Condition.await("some are done", () -> ended(other, ids) > RUNS / 10);
        deployment.server().kill9();
        Condition.await("all are done", () -> ended(other, ids) == RUNS);
        over.set(true);
        join(workers);

        for (var id : ids) {
          assertThat(other.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
          assertThat(other.events(id))
              .extracting(RunEvent::getType)
              .filteredOn(RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED::equals)
              .hasSize(2);
        }
      }
    }
  }

  private static long ended(RunCaller caller, List<String> ids) {
    return ids.stream()
        .filter(id -> caller.get(id).getStatus() == RunStatus.RUN_STATUS_COMPLETED)
        .count();
  }

  /** Goes over to the other server when its own is gone, and sends the same again. */
  private static void work(RunCaller caller, RunCaller other, String name, AtomicBoolean over) {
    var now = caller;
    while (!over.get()) {
      var poll = now.polling(name).setWait(Caller.seconds(1));
      List<Task> tasks;
      try {
        tasks = now.poll(poll);
      } catch (StatusRuntimeException e) {
        requireUnavailable(e);
        now = other;
        tasks = other.poll(poll);
      }
      for (var task : tasks) {
        var answer = complete(now, other, task);
        assertThat(answer.hasCompleted() || answer.hasClaimLost()).isTrue();
      }
    }
  }

  private static CompleteTaskResponse complete(RunCaller caller, RunCaller other, Task task) {
    try {
      return caller.complete(task.getClaim(), "1");
    } catch (StatusRuntimeException e) {
      requireUnavailable(e);
      return other.complete(task.getClaim(), "1");
    }
  }

  private static void requireUnavailable(StatusRuntimeException e) {
    if (e.getStatus().getCode() != Code.UNAVAILABLE) {
      throw e;
    }
  }

  private static void join(List<Thread> threads) {
    for (var thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
  }

  @Test
  @DisplayName("R10: a waiting run outlives a restart, and goes on once")
  void timerOutlivesRestart() {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target())) {
      caller.define("order", RunCaller.timer("pause", Caller.seconds(4)), RunCaller.task("a"));
      var id = caller.started("order");
      deployment.server().kill9();
      try (var after = caller.via(deployment.add().awaitReady())) {
        assertThat(after.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
        var task = after.poll("worker");
        assertThat(after.complete(task.getClaim(), "1").hasCompleted()).isTrue();
        // created, timer started, suspended, done; task started, done; run done
        assertThat(after.get(id).getVersion()).isEqualTo(7);
      }
    }
  }
}
