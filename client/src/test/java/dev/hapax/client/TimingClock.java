package dev.hapax.client;

import dev.hapax.client.internal.Timing;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A wall clock that goes as the timing does, off by so much. */
public final class TimingClock extends Clock {

  private final Timing timing;
  private Duration off = Duration.ZERO;

  public TimingClock(Timing timing) {
    this.timing = timing;
  }

  public TimingClock off(Duration by) {
    off = by;
    return this;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(timing.nanos()).plus(off);
  }
}
