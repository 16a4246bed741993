package dev.hapax.domain.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JanitorTimingTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  @Test
  @DisplayName("the defaults are 5 min and 2 min, and a stuck entity reverts within both [C6]")
  void defaults() {
    assertThat(JanitorTiming.DEFAULT.staleAfter()).isEqualTo(Duration.ofMinutes(5));
    assertThat(JanitorTiming.DEFAULT.every()).isEqualTo(Duration.ofMinutes(2));
    assertThat(JanitorTiming.DEFAULT.stuckAtMost()).isEqualTo(seconds(7 * 60 + 30));
  }

  @Test
  @DisplayName("whatever the lease, a holder loses one renewal without stopping, and stops in time")
  void inequality() {
    for (var millis = 100L; millis < 86_400_000L; millis = millis * 3 / 2) {
      var timing = JanitorTiming.of(Duration.ofMillis(millis), JanitorTiming.DEFAULT_EVERY);
      assertThat(timing.renewEvery().multipliedBy(2)).isLessThan(timing.stopAfter());
      assertThat(timing.stopAfter()).isLessThan(timing.staleAfter());
    }
  }

  @Test
  @DisplayName("unsafe combinations of times are rejected")
  void unsafe() {
    assertThatThrownBy(() -> new JanitorTiming(seconds(10), seconds(30), seconds(30), seconds(1)))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining("a holder that stops at");
    assertThatThrownBy(() -> new JanitorTiming(seconds(10), seconds(20), seconds(30), seconds(1)))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining("loses one renewal");
    assertThatThrownBy(() -> new JanitorTiming(Duration.ZERO, seconds(20), seconds(30), seconds(1)))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> JanitorTiming.of(Duration.ofMillis(99), seconds(1)))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> JanitorTiming.of(seconds(1), Duration.ofHours(25)))
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("a janitor is overdue when it has missed its period by more than a sweep takes")
  void overdue() {
    var contract =
        new JanitorContract(
            "billing", Set.of(), JanitorTiming.of(seconds(60), seconds(20)), JanitorMode.HOSTED);
    assertThat(contract.lag(NOW, NOW.plusSeconds(21))).isEqualTo(seconds(1));
    assertThat(contract.isOverdue(NOW, NOW.plusSeconds(50))).isFalse();
    assertThat(contract.isOverdue(NOW, NOW.plusSeconds(51))).isTrue();
  }
}
