package dev.hapax.testkit.server;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Adapts an instant source to a {@link Clock}, which more libraries accept. */
final class TestClock extends Clock {
  private final InstantSource time;

  TestClock(InstantSource time) {
    this.time = time;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return time.withZone(zone);
  }

  @Override
  public Instant instant() {
    return time.instant();
  }
}
