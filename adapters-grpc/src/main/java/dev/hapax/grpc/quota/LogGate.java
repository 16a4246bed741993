package dev.hapax.grpc.quota;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Lets one log line a second through, and counts the others. */
final class LogGate {
  private static final long SECOND = 1_000_000_000L;

  private final LongSupplier nanoTime;
  private final AtomicLong next;
  private final AtomicLong silent = new AtomicLong();

  LogGate(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.next = new AtomicLong(nanoTime.getAsLong());
  }

  /** Writes a line if it is time; it gets the number of events since the last line. */
  void write(LongConsumer line) {
    silent.incrementAndGet();
    var now = nanoTime.getAsLong();
    var due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + SECOND)) {
      line.accept(silent.getAndSet(0));
    }
  }
}
