package dev.hapax.bench;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** A thread-safe histogram of latencies in microseconds, up to two minutes. */
public final class LatencyRecorder {
  private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(2);
  private static final int DIGITS = 3;

  private final Histogram histogram = new ConcurrentHistogram(1, LONGEST_MICROS, DIGITS);

  /** Records the time since {@code nanos}, a value of {@link System#nanoTime}. */
  public void recordSince(long nanos) {
    var micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - nanos);
    histogram.recordValue(Math.clamp(micros, 1, LONGEST_MICROS));
  }

  public Histogram histogram() {
    return histogram;
  }
}
