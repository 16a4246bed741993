package dev.hapax.client.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Conditions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.run.Runs;
import dev.hapax.v1.RunStatus;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerThreadsTest {

  @Test
  void aPoolIsBoundedAndKeepsNoJvmAlive() throws Exception {
    Set<Thread> seen = ConcurrentHashMap.newKeySet();
    CountDownLatch done = new CountDownLatch(50);
    Executor pool = HandlerThreads.bounded(4);

    for (int i = 0; i < 50; i++) {
      pool.execute(
          () -> {
            seen.add(Thread.currentThread());
            done.countDown();
          });
    }
    done.await();

    assertThat(seen).hasSizeLessThanOrEqualTo(4).allMatch(Thread::isDaemon);
  }

  @Test
  void threadsAreVirtualWhereTheJvmHasThem() throws Exception {
    boolean has = Runtime.version().feature() >= 21;

    assertThat(HandlerThreads.virtual().isPresent()).isEqualTo(has);
    CountDownLatch done = new CountDownLatch(1);
    Set<String> names = ConcurrentHashMap.newKeySet();
    HandlerThreads.of(1)
        .execute(
            () -> {
              names.add(Thread.currentThread().getName());
              done.countDown();
            });
    done.await();
    assertThat(names).allMatch(name -> name.startsWith("hapax-worker-"));
  }

  @Test
  void aWorkerIsForJava17() throws IOException {
    for (Class<?> type : Set.of(Worker.class, Workflow.class, Runs.class, HandlerThreads.class)) {
      var file = type.getResourceAsStream(type.getSimpleName() + ".class");
      try (DataInputStream bytes = new DataInputStream(Objects.requireNonNull(file))) {
        assertThat(bytes.readInt()).isEqualTo(0xCAFEBABE);
        assertThat(bytes.readUnsignedShort()).isZero();
        assertThat(bytes.readUnsignedShort()).isEqualTo(61);
      }
    }
  }

  @Test
  void aThousandRunsOnRealThreads() {
    FakeHapax<SystemTiming> hapax = FakeHapax.live();
    for (int i = 0; i < 1_000; i++) {
      hapax.work.start("order", "orders/a", "orders/b", "orders/c");
    }
    Set<String> handled = ConcurrentHashMap.newKeySet();
    Set<String> twice = ConcurrentHashMap.newKeySet();
    hapax.faults.drop("poll", 5);
    hapax.faults.drop("completeTask", 100);

    Worker worker =
        hapax
            .worker()
            .handleQueue(
                "orders",
                task -> {
                  if (!handled.add(task.stepId())) {
                    twice.add(task.stepId());
                  }
                  return Completion.empty();
                })
            .start();
    Conditions.until(
        () ->
            hapax.work.run("run_1000").status == RunStatus.RUN_STATUS_COMPLETED
                && handled.size() == 3_000);

    worker.close();
    assertThat(twice).isEmpty();
    hapax.close();
  }
}
