package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a worker reports, and its threads. */
@Timeout(60)
class WorkerObserverTest {

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final AtomicInteger busy = new AtomicInteger();
  private final AtomicInteger free = new AtomicInteger();
  private final Observer observer =
      new Observer() {
        @Override
        public void worked(String definition, String step, TaskKind kind, Duration duration) {
          events.add("worked " + definition + " " + step + " " + kind);
        }

        @Override
        public void lost(HolderKind kind) {
          events.add("lost " + kind);
        }

        @Override
        public void slotsChanged(int busyChange, int freeChange) {
          busy.addAndGet(busyChange);
          free.addAndGet(freeChange);
        }
      };
  private final Hapax client = Hapax.builder().channel(hapax.channel).observer(observer).connect();

  @AfterEach
  void close() {
    client.close();
    hapax.close();
  }

  private List<String> worked() {
    return events.stream().filter(event -> event.startsWith("worked")).toList();
  }

  @Test
  @DisplayName("given tasks that end in each way, then each is reported, and the slots are free")
  void tasks() {
    AtomicInteger attempts = new AtomicInteger();
    Worker worker =
        client
            .worker()
            .concurrency(3)
            .step(
                "orders",
                "order",
                "charge",
                task -> {
                  int attempt = attempts.getAndIncrement();
                  // a retry may begin before the failure is reported
                  Conditions.until(() -> worked().size() == attempt);
                  assertThat(busy).hasPositiveValue();
                  return switch (attempt) {
                    case 0 -> new Value.Json("1");
                    case 1 -> throw new FinalFailure("NO", "no");
                    case 2 -> throw new RetryableFailure("LATER", "later");
                    case 3 -> {
                      hapax.work.cancel("run_3");
                      yield new Value.Json("1");
                    }
                    case 4 -> Result.skipped();
                    default -> Result.release(Duration.ofHours(1));
                  };
                })
            .start();
    // a task that is lost, and one that is given back
    for (int run = 1; run <= 5; run++) {
      hapax.work.start("order", "orders/charge");
      int ended = run < 3 ? run : run + 1;
      Conditions.until(
          () -> {
            hapax.work.wake(); // for the retry
            return worked().size() == ended && busy.get() == 0;
          });
    }

    assertThat(worked())
        .containsExactly(
            "worked order charge COMPLETED",
            "worked order charge FINAL",
            "worked order charge RETRYABLE",
            "worked order charge LOST",
            "worked order charge COMPLETED",
            "worked order charge RELEASED");
    assertThat(events).filteredOn(event -> event.startsWith("lost")).containsExactly("lost TASK");
    assertThat(free).hasValue(3);
    worker.close();
    assertThat(free).hasValue(0);
  }

  @Test
  @DisplayName("given a failure whose answer comes after the next attempt, then no task is lost")
  void overtaken() {
    CountDownLatch second = new CountDownLatch(1);
    hapax.faults.drop("failTask", 1);
    hapax.faults.before("failTask", () -> hapax.faults.before("failTask", () -> await(second)));
    try (Worker worker =
        client
            .worker()
            .step(
                "orders",
                "order",
                "charge",
                task -> {
                  if (task.attempt() == 1) {
                    throw new RetryableFailure("LATER", "later");
                  }
                  second.countDown();
                  return null;
                })
            .start()) {
      hapax.work.start("order", "orders/charge");
      Conditions.until(
          () -> {
            hapax.work.wake();
            return worked().size() == 2;
          });
      assertThat(worker.isAway()).isFalse();
    }
    assertThat(events)
        .containsExactlyInAnyOrder(
            "worked order charge RETRYABLE", "worked order charge COMPLETED");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @DisplayName("given an executor that rejects a task, then its slot is free, and it comes again")
  void rejected() {
    AtomicBoolean isFull = new AtomicBoolean(true);
    Executor executor =
        task -> {
          if (isFull.getAndSet(false)) {
            throw new RejectedExecutionException("full");
          }
          new Thread(task).start();
        };
    Worker worker =
        client.worker().executor(executor).queue("orders", task -> new Value.Json("1")).start();
    hapax.work.start("order", "orders/a");
    Conditions.until(() -> worked().size() == 1 && busy.get() == 0);
    assertThat(worked()).containsExactly("worked order a UNRECORDED");

    hapax.work.takeAway("run_1");
    Conditions.until(() -> hapax.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);
    worker.close();
  }

  @Test
  @DisplayName("given own spans, then each handler runs in them")
  void spans() {
    Worker worker =
        client
            .worker()
            .spans(
                handler ->
                    task -> {
                      events.add("begin " + task.stepName());
                      try {
                        return handler.handle(task);
                      } finally {
                        events.add("end");
                      }
                    })
            .queue(
                "orders",
                task -> {
                  events.add("handle");
                  task.suspend("night", Duration.ofHours(8));
                  return null;
                })
            .start();
    hapax.work.start("order", "orders/a");
    Conditions.until(() -> worked().size() == 1);
    worker.close();

    assertThat(events).containsExactly("begin a", "handle", "end", "worked order a SUSPENDED");
  }

  @Test
  @DisplayName("given lost answers and 1,000 runs, then each step is done once")
  void manyRuns() {
    for (int i = 0; i < 1_000; i++) {
      hapax.work.start("order", "orders/a", "orders/b", "orders/c");
    }
    Set<String> handled = ConcurrentHashMap.newKeySet();
    Set<String> twice = ConcurrentHashMap.newKeySet();
    hapax.faults.drop("poll", 5);
    hapax.faults.drop("completeTask", 100);

    Worker worker =
        client
            .worker()
            .queue(
                "orders",
                task -> {
                  if (!handled.add(task.stepId())) {
                    twice.add(task.stepId());
                  }
                  return null;
                })
            .start();
    Conditions.until(
        () ->
            hapax.work.run("run_1000").status == RunStatus.RUN_STATUS_COMPLETED
                && handled.size() == 3_000);

    worker.close();
    assertThat(twice).isEmpty();
    assertThat(busy).hasValue(0);
  }

  @Test
  @DisplayName("given a closed worker, then its thread has ended, and an idle one has one")
  void threads() {
    Set<Thread> others = pollThreads();
    Worker worker = client.worker().queue("orders", task -> null).start();
    Set<Thread> own = pollThreads();
    own.removeAll(others);
    assertThat(own).hasSize(1).allMatch(Thread::isDaemon);

    worker.close();

    Conditions.until(() -> own.stream().noneMatch(Thread::isAlive));
  }

  private static Set<Thread> pollThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("hapax-poll-"))
        .collect(Collectors.toSet());
  }
}
