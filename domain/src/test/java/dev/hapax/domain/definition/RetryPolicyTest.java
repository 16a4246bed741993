package dev.hapax.domain.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {
  private static final double ALMOST_1 = Math.nextDown(1.0);

  private static RetryPolicy policy(Duration initial, double factor, Duration max) {
    return new RetryPolicy(20, initial, factor, max, Set.of());
  }

  @Test
  @DisplayName("the default is 3 attempts, 1 s, doubled, up to 5 min [R11]")
  void defaults() {
    assertThat(RetryPolicy.DEFAULT)
        .isEqualTo(new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofMinutes(5), Set.of()));
  }

  @ParameterizedTest
  @DisplayName("the longest pause is the base, multiplied by the factor, up to the cap [R11]")
  @CsvSource({"1, 1", "2, 2", "3, 4", "9, 256", "10, 300", "11, 300", "20, 300", "40, 300"})
  void longest(int attempt, long seconds) {
    var longest = Duration.ofSeconds(seconds);
    assertThat(RetryPolicy.DEFAULT.backoff(attempt, ALMOST_1))
        .isBetween(longest.minusNanos(1_000), longest);
    assertThat(RetryPolicy.DEFAULT.backoff(attempt, 0.5)).isEqualTo(longest.dividedBy(2));
    assertThat(RetryPolicy.DEFAULT.backoff(attempt, 0)).isEqualTo(Duration.ZERO);
  }

  @Test
  @DisplayName("no pause is negative or above the cap, however often it was tried [R11]")
  void extremes() {
    var most = RetryPolicy.MAX_PAUSE;
    for (var factor : new double[] {1, 1.5, 100}) {
      for (var attempt : new int[] {1, 2, 20, 1_000, Integer.MAX_VALUE}) {
        for (var jitter : new double[] {0, 0.1, ALMOST_1}) {
          assertThat(policy(most, factor, most).backoff(attempt, jitter))
              .isBetween(Duration.ZERO, most);
          assertThat(policy(Duration.ofNanos(1), factor, most).backoff(attempt, jitter))
              .isBetween(Duration.ZERO, most);
        }
      }
    }
  }

  @Test
  @DisplayName("a base above the cap is cut, a factor of 1 stays")
  void cut() {
    var cut = policy(Duration.ofHours(1), 2, Duration.ofSeconds(10));
    assertThat(cut.backoff(1, 0.5)).isEqualTo(Duration.ofSeconds(5));
    var steady = policy(Duration.ofSeconds(10), 1, Duration.ofHours(1));
    assertThat(steady.backoff(15, 0.5)).isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @DisplayName("1 to 1,000 attempts, or no limit")
  @ValueSource(ints = {Integer.MIN_VALUE, -2, 0, 1_001, Integer.MAX_VALUE})
  void attempts(int bad) {
    assertThat(RetryPolicy.requireAttempts(1)).isEqualTo(1);
    assertThat(RetryPolicy.requireAttempts(1_000)).isEqualTo(1_000);
    assertThat(RetryPolicy.requireAttempts(RetryPolicy.UNLIMITED)).isEqualTo(-1);
    assertThatThrownBy(() -> RetryPolicy.requireAttempts(bad))
        .isInstanceOf(InvalidValueException.class);
  }

  @ParameterizedTest
  @DisplayName("a factor of 1 to 100")
  @ValueSource(
      doubles = {0, -1, 0.99, 100.01, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE})
  void factor(double bad) {
    assertThat(RetryPolicy.requireFactor(1)).isEqualTo(1);
    assertThat(RetryPolicy.requireFactor(100)).isEqualTo(100);
    assertThatThrownBy(() -> RetryPolicy.requireFactor(bad))
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("pauses are more than 0 and bounded")
  void pauses() {
    for (var bad :
        new Duration[] {Duration.ZERO, Duration.ofNanos(-1), RetryPolicy.MAX_PAUSE.plusNanos(1)}) {
      assertThatThrownBy(() -> RetryPolicy.requirePause(bad))
          .isInstanceOf(InvalidValueException.class);
    }
  }

  @Test
  @DisplayName("codes that are final, 100 at most [R11]")
  void codes() {
    var policy =
        new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofSeconds(1), Set.of("FATAL"));
    assertThat(policy.allowsRetryOf(new Failure("FATAL", "", Optional.empty()))).isFalse();
    assertThat(policy.allowsRetryOf(new Failure("fatal", "FATAL", Optional.empty()))).isTrue();
    assertThat(RetryPolicy.requireCodes(codes(100))).hasSize(100);
    assertThatThrownBy(() -> RetryPolicy.requireCodes(codes(101)))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> RetryPolicy.requireCodes(Set.of("")))
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("given codes that are retried, then no other is; nonRetryable comes first")
  void onlyCodes() {
    var policy =
        new RetryPolicy(
            3,
            Duration.ofSeconds(1),
            2,
            Duration.ofSeconds(1),
            Set.of("FATAL"),
            Set.of("FLAKY", "FATAL"),
            Optional.empty());
    assertThat(policy.allowsRetryOf(new Failure("FLAKY", "", Optional.empty()))).isTrue();
    assertThat(policy.allowsRetryOf(new Failure("FATAL", "", Optional.empty()))).isFalse();
    assertThat(policy.allowsRetryOf(new Failure("", "FLAKY", Optional.empty()))).isFalse();
  }

  @Test
  @DisplayName("the time after which it gives up is more than 0 and at most 365 days")
  void giveUp() {
    var year = Duration.ofDays(365);
    assertThat(RetryPolicy.requireGiveUp(year)).isEqualTo(year);
    for (var bad : new Duration[] {Duration.ZERO, Duration.ofNanos(-1), year.plusNanos(1)}) {
      assertThatThrownBy(() -> RetryPolicy.requireGiveUp(bad))
          .isInstanceOf(InvalidValueException.class);
    }
    var policy =
        new RetryPolicy(
            3, year.dividedBy(365), 2, Duration.ofDays(1), Set.of(), Set.of(), Optional.of(year));
    assertThatThrownBy(() -> new StepDefinition.Work("queue", Duration.ofSeconds(30), policy))
        .as("only for parts")
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("the number of the last attempt never overflows")
  void lastAttempt() {
    assertThat(RetryPolicy.DEFAULT.lastAttempt(7)).isEqualTo(10);
    assertThat(RetryPolicy.DEFAULT.lastAttempt(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
    var unlimited =
        new RetryPolicy(
            RetryPolicy.UNLIMITED, Duration.ofSeconds(1), 2, Duration.ofSeconds(1), Set.of());
    assertThat(unlimited.lastAttempt(0)).isEqualTo(Integer.MAX_VALUE);
  }

  private static Set<String> codes(int count) {
    return IntStream.range(0, count).mapToObj(i -> "CODE_" + i).collect(Collectors.toSet());
  }
}
