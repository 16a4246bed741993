package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.testkit.ledger.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("security-M1")
class CommandTimeoutsTest {
  private static final int BROKEN_ROUNDS = 5;

  /** Five rounds that begin 200 ms after one another. */
  private static final Duration BROKEN_FOR = Duration.ofSeconds(1);

  private final Logger logger = (Logger) LoggerFactory.getLogger(CommandTimeouts.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final CountDownLatch brokenRounds = new CountDownLatch(BROKEN_ROUNDS);
  private volatile boolean isBroken = true;

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(log);
  }

  private long now() {
    if (isBroken) {
      brokenRounds.countDown();
      throw new StackOverflowError("in the clock");
    }
    return System.nanoTime();
  }

  @Test
  @DisplayName(
      "given rounds that throw, then they are logged once, the metric shows them, and the next one"
          + " fails the commands that are late")
  void goesOn() throws InterruptedException {
    var late =
        new QueuedCommand<>(
            Counter.increment(new Counter.Key(Workspace.DEFAULT, "any")), System.nanoTime());
    try (var timeouts = new CommandTimeouts(List.of(), this::now)) {
      timeouts.watch(late);
      assertThat(brokenRounds.await(30, TimeUnit.SECONDS)).as("it tries again").isTrue();
      assertThat(timeouts.loop().sinceSuccess()).isGreaterThanOrEqualTo(BROKEN_FOR);
      assertThat(late.future()).isNotDone();
      isBroken = false;

      assertThatThrownBy(() -> late.future().get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(Unavailable.class);
      assertThat(timeouts.open()).isZero();
      TestLedgers.await(
          "the metric shows the success",
          () -> timeouts.loop().sinceSuccess().compareTo(BROKEN_FOR) < 0);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("failing timed-out commands failed, will retry");
  }
}
