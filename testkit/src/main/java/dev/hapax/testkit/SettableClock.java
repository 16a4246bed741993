package dev.hapax.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until a test moves it. */
public final class SettableClock implements InstantSource {
  private final AtomicReference<Instant> now;

  public SettableClock() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  public SettableClock(Instant start) {
    this.now = new AtomicReference<>(start);
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  /** Sets the clock to any time, also an earlier one. */
  public void set(Instant instant) {
    now.set(instant);
  }

  public void advance(Duration by) {
    now.updateAndGet(before -> before.plus(by));
  }
}
