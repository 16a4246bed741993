package dev.hapax.domain.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LoopTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
  private final Loop loop = new Loop("scan", Duration.ofSeconds(30), nanos::get);

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  @DisplayName("given rounds that throw, then the loop runs, and its last success stays")
  void fails() {
    pass(MINUTE);
    var round =
        loop.round(
            () -> {
              throw new StackOverflowError("deep");
            });
    assertThatThrownBy(round::run).isInstanceOf(StackOverflowError.class);
    pass(MINUTE);
    assertThat(loop.problem()).isEmpty();
    assertThat(loop.sinceSuccess()).isEqualTo(MINUTE.multipliedBy(2));

    loop.round(() -> {}).run();
    assertThat(loop.sinceSuccess()).isEqualTo(Duration.ZERO);
  }

  @Test
  @DisplayName("given a loop of a short period, then it may rest for a minute")
  void restsForAMinute() {
    var fast = new Loop("ticks", Duration.ofMillis(100), nanos::get);
    pass(MINUTE);
    assertThat(fast.problem()).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(fast.problem()).contains("ticks: no round for 60 s");
  }
}
