package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.operation.OperationLimits;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TimeLimitsTest {
  private static final Duration TICK = Duration.ofNanos(1);

  @Test
  @DisplayName("a lease lasts 100 ms to 24 h")
  void lease() {
    bounds(LeaseLimits::checked, Duration.ofMillis(100), Duration.ofHours(24));
  }

  @Test
  @DisplayName("a time to live is more than 0 and at most 30 days")
  void timeToLive() {
    bounds(OperationLimits::checkedTtl, TICK, Duration.ofDays(30));
  }

  @Test
  @DisplayName("the defaults are within their bounds")
  void defaults() {
    assertThat(LeaseLimits.checked(LeaseLimits.DEFAULT_OF_OPERATION))
        .isEqualTo(Duration.ofSeconds(60));
    assertThat(OperationLimits.checkedTtl(OperationLimits.DEFAULT_TTL))
        .isEqualTo(Duration.ofHours(24));
  }

  private static void bounds(UnaryOperator<Duration> rule, Duration least, Duration most) {
    assertThat(rule.apply(least)).isEqualTo(least);
    assertThat(rule.apply(most)).isEqualTo(most);
    assertThatThrownBy(() -> rule.apply(least.minus(TICK)))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> rule.apply(most.plus(TICK))).isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> rule.apply(Duration.ofSeconds(-1)))
        .isInstanceOf(InvalidValueException.class);
  }
}
