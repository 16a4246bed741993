package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.ledger.Counter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Increments without end, so many at once, on several ledgers in turn; keeps every outcome. */
final class Load {
  private static final int AT_ONCE = 200;
  private final List<PostgresLedger> ledgers;
  private final List<Counter.Key> keys;
  private final List<Queue<Long>> outcomes;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger successes = new AtomicInteger();
  private final Semaphore room = new Semaphore(AT_ONCE);
  private final Thread thread;
  private volatile boolean stopped;

  Load(List<PostgresLedger> ledgers, List<Counter.Key> keys) {
    this.ledgers = ledgers;
    this.keys = keys;
    this.outcomes = keys.stream().<Queue<Long>>map(_ -> new ConcurrentLinkedQueue<>()).toList();
    this.thread = Thread.ofVirtual().start(this::run);
  }

  private void run() {
    for (var i = 0; !stopped; i++) {
      room.acquireUninterruptibly();
      var which = i % keys.size();
      var _ =
          ledgers
              .get(i % ledgers.size())
              .submit(Counter.increment(keys.get(which)))
              .whenComplete(
                  (outcome, failure) -> {
                    if (failure == null) {
                      outcomes.get(which).add(outcome);
                      successes.incrementAndGet();
                    } else {
                      failures.add(failure);
                    }
                    room.release();
                  });
    }
  }

  /** Waits for so many more successes. */
  void awaitMore(int number) {
    var before = successes.get();
    TestLedgers.await("commands go on", () -> successes.get() >= before + number);
  }

  /** Whether as many as may be are under way. */
  boolean isStalled() {
    return room.availablePermits() == 0;
  }

  Queue<Throwable> failures() {
    return failures;
  }

  /** Submits no more, and waits for all answers. */
  void stop() {
    stopped = true;
    TestLedgers.await("the load ends", () -> !thread.isAlive());
    TestLedgers.await("all is answered", () -> room.availablePermits() == AT_ONCE);
  }

  /** No outcome was given twice, none is missing, and what is stored is the last one. */
  void assertNothingLostOrDoubled(TestLedgers database) {
    assertThat(failures.stream().map(failure -> failure + ", by " + failure.getCause())).isEmpty();
    for (var i = 0; i < keys.size(); i++) {
      var all = outcomes.get(i);
      assertThat(all)
          .containsExactlyInAnyOrderElementsOf(
              LongStream.rangeClosed(1, all.size()).boxed().toList());
      assertThat(database.value(keys.get(i))).isEqualTo(all.size());
    }
  }

  /** The same when some failed: those may have happened or not. */
  void assertNothingLostOrDoubledButFailures(TestLedgers database) {
    var happened = 0;
    for (var i = 0; i < keys.size(); i++) {
      var all = outcomes.get(i);
      var stored = database.value(keys.get(i));
      assertThat(all).doesNotHaveDuplicates().allMatch(outcome -> outcome <= stored);
      happened += (int) stored;
    }
    assertThat(happened - successes.get()).isBetween(0, failures.size());
  }
}
