package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.OperationId;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NewKeyGuessTest {
  private static final Workspace WORKSPACE = new Workspace("w");
  private final AtomicLong nanos = new AtomicLong(-5);
  private final NewKeyGuess guess = new NewKeyGuess(nanos::get);

  private static OperationId key(int number) {
    return new OperationId(WORKSPACE, new UUID(number * 0x9E3779B97F4A7C15L, number));
  }

  private boolean isPausedAfter(long time) {
    nanos.addAndGet(time);
    return !guess.isNew(new OperationId(WORKSPACE, UUID.randomUUID()));
  }

  @Test
  @DisplayName("a key is new once, and most of many others are")
  void once() {
    var others = IntStream.rangeClosed(1, 10_000).filter(i -> guess.isNew(key(i))).count();

    assertThat(others).isGreaterThan(9_990);
    assertThat(guess.isNew(key(10_000))).isFalse();
    assertThat(guess.isNew(key(9_999))).isFalse();
  }

  @Test
  @DisplayName("after a failure it pauses, and longer after each that follows soon, up to a minute")
  void pauses() {
    guess.failed();
    assertThat(isPausedAfter(0)).isTrue();
    assertThat(isPausedAfter(NewKeyGuess.SHORTEST_PAUSE_NANOS - 1)).isTrue();
    assertThat(isPausedAfter(1)).isFalse();

    guess.failed();
    assertThat(isPausedAfter(2 * NewKeyGuess.SHORTEST_PAUSE_NANOS - 1)).isTrue();
    assertThat(isPausedAfter(1)).isFalse();

    for (var i = 0; i < 20; i++) {
      guess.failed();
      assertThat(isPausedAfter(NewKeyGuess.LONGEST_PAUSE_NANOS)).isFalse();
    }
  }

  @Test
  @DisplayName("a failure long after the last one pauses shortly")
  void calm() {
    guess.failed();
    nanos.addAndGet(10 * NewKeyGuess.SHORTEST_PAUSE_NANOS);
    guess.failed();

    assertThat(isPausedAfter(NewKeyGuess.SHORTEST_PAUSE_NANOS)).isFalse();
  }

  @Test
  @DisplayName("two batches that fail at once count as one failure")
  void atOnce() {
    guess.failed();
    guess.failed();

    assertThat(isPausedAfter(NewKeyGuess.SHORTEST_PAUSE_NANOS)).isFalse();
  }
}
