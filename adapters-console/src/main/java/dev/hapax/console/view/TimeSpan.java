package dev.hapax.console.view;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** A span of time, drawn a thousand units wide. */
public record TimeSpan(Instant from, Instant to) {
  public static final int WIDTH = 1_000;

  /** Narrower ones could not be seen. */
  private static final long MIN_WIDTH = 4;

  /** A part of the span. */
  public record Bar(long x, long width) {
    public static final Bar NONE = new Bar(0, 0);
  }

  /** The clip of a part: drawing outside of it is cut off. */
  public Bar bar(Instant begin, Instant end) {
    var x = Math.min(position(begin), WIDTH - MIN_WIDTH);
    return new Bar(x, Math.max(MIN_WIDTH, position(end) - x));
  }

  private long position(Instant at) {
    var length = Math.max(1, Duration.between(from, to).toMillis());
    return Math.clamp(Duration.between(from, at).toMillis() * WIDTH / length, 0, WIDTH);
  }

  public Instant at(Timestamp at) {
    return Instant.ofEpochSecond(at.getSeconds(), at.getNanos());
  }

  public String length() {
    return DurationFormat.exact(Duration.between(from, to));
  }
}
