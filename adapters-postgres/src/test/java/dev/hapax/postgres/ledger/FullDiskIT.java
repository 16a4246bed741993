package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.testkit.ledger.Counter;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database that answers and takes no commits. */
@Timeout(60)
class FullDiskIT {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Counter.Key KEY = key("counted");
  private static final Counter.Key REFUSED = key("refused");
  private TestLedgers ledgers;

  @BeforeEach
  void start() {
    ledgers = new TestLedgers();
    ledgers
        .database()
        .execute(
            """
            CREATE FUNCTION hapax.fail() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'No space left on device';
            END $$;
            """);
  }

  @AfterEach
  void stop() {
    ledgers.close();
  }

  @Test
  @DisplayName(
      "given a full disk, then the ledger makes no progress though it answers in time, and progresses"
          + " again without a call when there is room [security-S12]")
  void fullDisk() {
    var settings = TestLedgers.oneCommitter().withCommandTimeout(Duration.ofMillis(700));
    var ledger = ledgers.node(settings);
    await(ledger.submit(Counter.add(KEY, 1)));
    await("the ledger progresses", () -> ledger.isProgressing(SHORT));
    ledgers
        .database()
        .execute(
            "CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON hapax.committer"
                + " FOR EACH ROW EXECUTE FUNCTION hapax.fail()");

    // another record: UNAVAILABLE does not say that its last attempt found no room
    var refused = ledger.submit(Counter.add(REFUSED, 1));
    assertThatThrownBy(() -> await(refused))
        .cause()
        .isInstanceOf(LedgerException.Unavailable.class);
    assertThat(ledger.isProgressing(SHORT)).as("no command waits any more").isFalse();

    ledgers.database().execute("DROP TRIGGER fail ON hapax.committer");
    await("the ledger progresses", () -> ledger.isProgressing(SHORT));
    assertThat(await(ledger.submit(Counter.add(KEY, 1)))).isEqualTo(2);
  }
}
