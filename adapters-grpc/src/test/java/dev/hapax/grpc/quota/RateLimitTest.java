package dev.hapax.grpc.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.grpc.quota.TokenBucket.Rate;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private long nanos = TimeUnit.DAYS.toNanos(1);

  private RateLimit limits(int callsPerSecond) {
    return new RateLimit(callsPerSecond, () -> nanos);
  }

  private void later(Duration time) {
    nanos += time.toNanos();
  }

  private static long admitted(RateLimit limits, String key, int calls) {
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
  @DisplayName("given calls on credit, then the debt is at most the calls of one second")
  void credit() {
    var limits = limits(10);
    for (var i = 0; i < 10; i++) {
      assertThat(limits.admitOnCredit("w", 1)).isEmpty();
    }
    assertThat(limits.debt("w")).isZero();
    for (var i = 0; i < 10; i++) {
      assertThat(limits.admitOnCredit("w", 1)).isEmpty();
    }
    assertThat(limits.debt("w")).isEqualTo(SECOND);
    assertThat(limits.admitOnCredit("w", 1)).contains(Duration.ofMillis(100));
    assertThat(limits.debt("w")).isEqualTo(SECOND);
    assertThat(limits.admit("w", 1)).contains(Duration.ofMillis(1_100));
    later(Duration.ofMillis(100));
    assertThat(limits.admitOnCredit("w", 1)).isEmpty();
    later(SECOND);
    assertThat(limits.debt("w")).isZero();
  }

  @Test
  @DisplayName("given no rate, then every call is admitted")
  void off() {
    assertThat(admitted(limits(0), "w", 100_000)).isEqualTo(100_000);
    assertThat(limits(0).admitOnCredit("w", 100_000)).isEmpty();
    assertThat(limits(0).debt("w")).isZero();
  }

  @Test
  @DisplayName("given open calls, then the next is refused until one closes")
  void open() {
    var quota = new OpenCallQuota(2);
    assertThat(quota.take("w")).isTrue();
    assertThat(quota.take("w")).isTrue();
    assertThat(quota.take("w")).isFalse();
    assertThat(quota.take("other")).isTrue();
    quota.free("w");
    assertThat(quota.take("w")).isTrue();
    quota.free("w");
    quota.free("w");
    assertThat(quota.size("w")).isZero();
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
