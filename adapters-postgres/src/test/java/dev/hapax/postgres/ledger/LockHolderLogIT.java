package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.testkit.ledger.Counter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.PGConnection;
import org.slf4j.LoggerFactory;

/** Reads the log of the process. */
@Isolated
@Timeout(60)
class LockHolderLogIT {
  private final Logger logger = (Logger) LoggerFactory.getLogger(LockHolderLog.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private TestLedgers ledgers;

  @BeforeEach
  void start() {
    ledgers = new TestLedgers();
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    ledgers.close();
  }

  @Test
  @DisplayName(
      "given a session that holds a record, when a command waits for it, then the log names session"
          + " and user, once [security-S8]")
  void holder() throws Exception {
    var key = key("held");
    var ledger = ledgers.node(TestLedgers.oneCommitter());
    await(ledger.submit(Counter.add(key, 1)));
    try (var holder = ledgers.database().connect();
        var statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("SELECT 1 FROM hapax.counter FOR UPDATE");
      var blocked = ledger.submit(Counter.add(key, 1));
      await("the log names the holder", () -> !log.list.isEmpty());
      assertThat(List.copyOf(log.list))
          .extracting(ILoggingEvent::getFormattedMessage)
          .singleElement()
          .asString()
          .contains("session " + holder.unwrap(PGConnection.class).getBackendPID() + " of user ");
      holder.rollback();
      assertThat(await(blocked)).isEqualTo(2);
    }
  }
}
