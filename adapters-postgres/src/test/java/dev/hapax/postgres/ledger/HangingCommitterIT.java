package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.testkit.ledger.Counter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
@Tag("long")
class HangingCommitterIT {
  private static final Duration SHORT = Duration.ofSeconds(3);
  private static TestLedgers ledgers;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  private static Command<Boolean> hanging(CountDownLatch begun, CountDownLatch goOn) {
    return new Counter.On<>(
        List.of(key("hanging")),
        Command.Urgency.START,
        (_, _) -> {
          begun.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return true;
        });
  }

  @Test
  @DisplayName(
      "while a committer hangs, its commands are given up in time, and the ledger says that it does not progress")
  void hangs() throws InterruptedException {
    var ledger = ledgers.node(oneCommitter().withCommandTimeout(SHORT));
    var begun = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var retrying = ledger.submit(hanging(begun, goOn));
    begun.await();
    var queued = ledger.submit(Counter.increment(key("queued")));
    try {
      assertThatThrownBy(() -> await(queued)).hasCauseInstanceOf(Unavailable.class);
      assertThatThrownBy(() -> await(retrying)).hasCauseInstanceOf(Unavailable.class);
      assertThat(ledger.isProgressing(SHORT)).isFalse();
    } finally {
      goOn.countDown();
    }
    TestLedgers.await("the committer goes on", () -> ledger.isProgressing(SHORT));
    assertThat(await(ledger.submit(Counter.increment(key("after"))))).isEqualTo(1);
    assertThat(ledgers.value(key("queued"))).isZero();
  }

  @Test
  @DisplayName("an idle ledger progresses")
  void idle() {
    var ledger = ledgers.node(oneCommitter());
    await(ledger.submit(Counter.increment(key("idle"))));
    TestLedgers.await("it has nothing to do", () -> ledger.isProgressing(Duration.ZERO));
  }

  /** Names another workspace each time it is asked. */
  private record Changing(Command<Long> command, AtomicInteger asked) implements Command<Long> {
    @Override
    public Workspace workspace() {
      return new Workspace("changing-" + asked.incrementAndGet());
    }

    @Override
    public Collection<Counter.Key> keys() {
      return List.of(key("changing"));
    }

    @Override
    public Object route() {
      return command.route();
    }

    @Override
    public Urgency urgency() {
      return command.urgency();
    }

    @Override
    public int size() {
      return command.size();
    }

    @Override
    public Long decide(BatchRecords records, Instant now) {
      return command.decide(records, now);
    }
  }

  @Test
  @DisplayName("given a command whose keys change, then other commands are answered")
  void contradicts() {
    var ledger = ledgers.node(oneCommitter());
    var changing =
        ledger.submit(new Changing(Counter.increment(key("changing")), new AtomicInteger()));

    assertThat(await(ledger.submit(Counter.increment(key("other"))))).isEqualTo(1);
    assertThat(await(changing)).isEqualTo(1);
  }
}
