package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.testkit.ledger.Counter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("security-M1")
class CommandTimeoutsTest {
  private final AtomicInteger rounds = new AtomicInteger();

  private long now() {
    if (rounds.incrementAndGet() == 1) {
      throw new StackOverflowError("in the clock");
    }
    return System.nanoTime();
  }

  @Test
  @DisplayName("given a round that throws, then the next one fails the commands that are late")
  void goesOn() {
    var late =
        new QueuedCommand<>(
            Counter.increment(new Counter.Key(Workspace.DEFAULT, "any")), System.nanoTime());
    try (var timeouts = new CommandTimeouts(List.of(), this::now)) {
      timeouts.watch(late);
      assertThatThrownBy(() -> late.future().get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(Unavailable.class);
      assertThat(timeouts.open()).isZero();
    }
    assertThat(rounds).hasValueGreaterThan(1);
  }
}
