package dev.hapax.bootstrap.server.metrics;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What was last read from the database. A scrape exports it without waiting, and starts a new
 * reading if it is old; without scrapes nothing is read.
 */
final class CachedReading<T> {
  private final Supplier<CompletableFuture<T>> read;
  private final long freshNanos;
  private final long shownNanos;
  private final LongSupplier nanoTime;
  private final AtomicBoolean reading = new AtomicBoolean();
  private volatile Optional<Reading<T>> last = Optional.empty();

  private record Reading<T>(T value, long nanos) {}

  /**
   * Reads nothing yet.
   *
   * @param fresh the least time between two readings
   * @param shown the age up to which a reading is exported: then the database does not answer
   * @param nanoTime clock such as {@link System#nanoTime}
   */
  CachedReading(
      Supplier<CompletableFuture<T>> read, Duration fresh, Duration shown, LongSupplier nanoTime) {
    this.read = read;
    this.freshNanos = fresh.toNanos();
    this.shownNanos = shown.toNanos();
    this.nanoTime = nanoTime;
  }

  /** Returns the last value, and begins to read the next one if it is old. */
  Optional<T> latest() {
    var found = last;
    var now = nanoTime.getAsLong();
    if (found.filter(is -> now - is.nanos() < freshNanos).isEmpty()
        && reading.compareAndSet(false, true)) {
      var _ =
          read.get()
              .whenComplete(
                  (value, failure) -> {
                    if (failure == null) {
                      last = Optional.of(new Reading<>(value, nanoTime.getAsLong()));
                    }
                    reading.set(false);
                  });
    }
    return found.filter(is -> now - is.nanos() < shownNanos).map(Reading::value);
  }

  /** Returns the age of the last value. */
  Optional<Duration> age() {
    return last.map(is -> Duration.ofNanos(nanoTime.getAsLong() - is.nanos()));
  }
}
