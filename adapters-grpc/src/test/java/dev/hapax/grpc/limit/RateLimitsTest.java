package dev.hapax.grpc.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.grpc.limit.TokenBucket.Rate;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RateLimitsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private long nanos = TimeUnit.DAYS.toNanos(1);

  private RateLimits limits(int callsPerSecond) {
    return new RateLimits(callsPerSecond, 2, () -> nanos);
  }

  private void later(Duration time) {
    nanos += time.toNanos();
  }

  private static long admitted(RateLimits limits, String key, int calls) {
    return IntStream.range(0, calls).filter(_ -> limits.admit(key, 1).isEmpty()).count();
  }

  @Test
  @Tag("A8")
  @DisplayName("given a noisy workspace, then it gets its rate, and another gets every call")
  void fair() {
    var limits = limits(100);
    var noisy = 0L;
    var quiet = 0L;
    for (var second = 0; second < 10; second++) {
      // in turns, so that each quiet call comes after a burst of noise
      for (var turn = 0; turn < 50; turn++) {
        noisy += admitted(limits, "noisy", 200);
        quiet += admitted(limits, "quiet", 1);
      }
      later(SECOND);
    }
    assertThat(quiet).isEqualTo(10 * 50);
    assertThat(noisy).isEqualTo(10 * 100);
  }

  @Test
  @DisplayName("given a refused call, then it succeeds after the time of its RetryInfo")
  void retry() {
    var limits = limits(10);
    assertThat(admitted(limits, "w", 10)).isEqualTo(10);
    var wait = limits.admit("w", 1).orElseThrow();
    assertThat(wait).isEqualTo(Duration.ofMillis(100));
    later(wait.minusNanos(1_000));
    assertThat(limits.admit("w", 1)).isPresent();
    later(Duration.ofNanos(1_000));
    assertThat(limits.admit("w", 1)).isEmpty();
  }

  @Test
  @DisplayName("given a call that counts for more than a second's rate, then it borrows")
  void batch() {
    var limits = limits(10);
    assertThat(limits.admit("w", 30)).isEmpty();
    assertThat(limits.admit("w", 1)).contains(Duration.ofMillis(2_100));
    later(Duration.ofMillis(2_100));
    assertThat(limits.admit("w", 1)).isEmpty();
  }

  @Test
  @DisplayName("given charged calls, then the pause is the time until they are paid for")
  void charge() {
    var limits = limits(10);
    assertThat(limits.charge("w", 10)).isZero();
    assertThat(limits.charge("w", 5)).isEqualTo(Duration.ofMillis(500));
    later(Duration.ofMillis(500));
    assertThat(limits.charge("w", 0)).isZero();
  }

  @Test
  @DisplayName("given no rate, then every call is admitted")
  void off() {
    assertThat(admitted(limits(0), "w", 100_000)).isEqualTo(100_000);
    assertThat(limits(0).charge("w", 100_000)).isZero();
  }

  @Test
  @DisplayName("given open watches, then the next is refused until one closes")
  void watches() {
    var limits = limits(0);
    assertThat(limits.openWatch("w")).isTrue();
    assertThat(limits.openWatch("w")).isTrue();
    assertThat(limits.openWatch("w")).isFalse();
    assertThat(limits.openWatch("other")).isTrue();
    limits.closeWatch("w");
    assertThat(limits.openWatch("w")).isTrue();
    limits.closeWatch("w");
    limits.closeWatch("w");
    assertThat(limits.openWatches("w")).isZero();
  }

  @Test
  @DisplayName("given a million keys, then only those of the last second are remembered")
  void memory() {
    var buckets = new TokenBuckets<Integer>(Rate.perSecond(10), () -> nanos);
    for (var key = 0; key < 1_000_000; key++) {
      assertThat(buckets.take(key, 1)).isTrue();
      later(Duration.ofMillis(1));
    }
    // twice the number above which full buckets are searched for
    assertThat(buckets.size()).isLessThanOrEqualTo(20_001);
  }

  @Test
  @DisplayName("given a clock that stands still or goes back, then no token arrives")
  void clock() {
    var rate = Rate.perSecond(5);
    var empty = TokenBucket.full(rate, 1_000).take(5);
    assertThat(empty.at(rate, 1_000)).isEqualTo(empty);
    assertThat(empty.at(rate, 0).tokens()).isZero();
    assertThat(empty.at(rate, Long.MAX_VALUE).isFull(rate)).isTrue();
  }
}
