package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final Instant START = Instant.parse("2026-11-30T20:00:00Z");

  private long nanos;
  private final DatabaseClock clock = new DatabaseClock(Duration.ofMillis(20), () -> nanos);

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  /** Reads a time, of which it is not known when within the duration it was. */
  private void read(Instant now, Duration took) {
    var sent = nanos;
    pass(took);
    clock.read(now, sent);
  }

  private static Instant after(String time) {
    return START.plus(Duration.parse(time));
  }

  @Test
  @DisplayName("given no reading, a slow one, or an old one, then there is no estimate")
  void unknown() {
    assertThat(clock.estimate()).isEmpty();
    read(START, Duration.ofMillis(21));
    assertThat(clock.estimate()).isEmpty();
    read(START, Duration.ofMillis(1));
    pass(Duration.ofSeconds(9));
    assertThat(clock.estimate()).contains(after("PT9S"));
    pass(Duration.ofSeconds(1));
    assertThat(clock.estimate()).isEmpty();
  }

  @Test
  @DisplayName("given a reading of some milliseconds, then a shorter one counts for a second")
  void shorter() {
    read(START, Duration.ofMillis(1));
    pass(Duration.ofMillis(500));
    // the time at the begin of its 20 ms
    read(after("PT0.5S"), Duration.ofMillis(20));
    assertThat(clock.estimate()).contains(after("PT0.52S"));
    pass(Duration.ofMillis(500));
    read(after("PT1.02S"), Duration.ofMillis(20));
    pass(Duration.ofMillis(40));
    assertThat(clock.estimate()).contains(after("PT1.06S"));
  }

  @Test
  @DisplayName("given a less exact reading, then the estimate does not go back")
  void steady() {
    read(START, Duration.ofMillis(1));
    pass(Duration.ofSeconds(1));
    assertThat(clock.estimate()).contains(after("PT1S"));
    read(after("PT1S"), Duration.ofMillis(20));
    assertThat(clock.estimate()).contains(after("PT1S"));
    pass(Duration.ofMillis(5));
    assertThat(clock.estimate()).contains(after("PT1.005S"));
  }

  @Test
  @DisplayName("given a clock that is set back, by however little, then so is the estimate")
  void setBack() {
    read(START, Duration.ofMillis(1));
    pass(Duration.ofMillis(99));
    assertThat(clock.estimate()).contains(after("PT0.099S"));
    read(after("PT0.05S"), Duration.ofMillis(2));
    assertThat(clock.estimate()).contains(after("PT0.05S"));
    assertThat(clock.jumps()).isZero();
    read(START.minusSeconds(60), Duration.ofMillis(3));
    assertThat(clock.estimate()).contains(START.minusSeconds(60));
    assertThat(clock.jumps()).isOne();
  }

  @Test
  @DisplayName("given an estimate that was wrong, then there is none until the next reading")
  void wrong() {
    read(START, Duration.ofMillis(1));
    clock.forget();
    assertThat(clock.estimate()).isEmpty();
    read(START.minusMillis(15), Duration.ofMillis(20));
    assertThat(clock.estimate()).contains(START.minusMillis(15));
  }
}
