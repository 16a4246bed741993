package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FenceTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.000001Z");

  @Test
  @DisplayName("the first one is the clock in microseconds")
  void first() {
    assertThat(Fence.first(NOW)).isEqualTo(new Fence(NOW.getEpochSecond() * 1_000_000 + 1));
  }

  @Test
  @DisplayName("the next one is the clock, or one more where the clock stands still or went back")
  void next() {
    var fence = Fence.first(NOW);
    assertThat(fence.next(NOW.plusSeconds(1))).isEqualTo(Fence.first(NOW.plusSeconds(1)));
    assertThat(fence.next(NOW)).isEqualTo(new Fence(fence.value() + 1));
    assertThat(fence.next(NOW.minus(Duration.ofDays(1)))).isEqualTo(new Fence(fence.value() + 1));
  }

  @Test
  @DisplayName(
      "given a restore to an earlier record, then the next fence is higher than those lost, unless the clock is behind")
  void restored() {
    var backup = Fence.first(NOW);
    var lost = backup.next(NOW.plusSeconds(1)).next(NOW.plusSeconds(1)).next(NOW.plusSeconds(2));

    assertThat(backup.next(NOW.plusSeconds(3))).isGreaterThan(lost);
    assertThat(backup.next(NOW.plusSeconds(1))).isLessThan(lost);
  }
}
