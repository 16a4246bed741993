package dev.hapax.bench;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Latencies up to two minutes, recorded by any thread. */
final class LatencyRecorder {
  private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(2);
  private static final int DIGITS = 3;

  private final Histogram histogram = new ConcurrentHistogram(1, LONGEST_MICROS, DIGITS);

  /** Records the time since then. */
  void since(long nanos) {
    var micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - nanos);
    histogram.recordValue(Math.clamp(micros, 1, LONGEST_MICROS));
  }

  Histogram recorded() {
    return histogram;
  }
}
