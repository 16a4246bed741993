package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.testkit.ledger.Counter;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class DatabaseFenceIT {
  private static final Counter.Key KEY = key("counted");
  private final TestLedgers ledgers = new TestLedgers();

  @AfterEach
  void close() {
    ledgers.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INSERT INTO hapax.restoration (epoch, kind) VALUES (1, 'copy') | this database was restored (epoch 1) after
          UPDATE hapax.required_feature SET feature = 2                  | this database uses feature 2, and the server
          """)
  @DisplayName(
      "given a database that has changed since the start of a server, then its next batch and all"
          + " later ones are refused, and write nothing [kill-loops-2]")
  void refused(String change, String reason) {
    var ledger = ledgers.node(TestLedgers.oneCommitter());
    await(ledger.submit(Counter.add(KEY, 1)));
    ledgers.database().execute(change);

    for (var i = 0; i < 2; i++) {
      var refused = ledger.submit(Counter.add(KEY, 1));
      assertThatThrownBy(() -> await(refused))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(LedgerException.Unavailable.class)
          .hasMessageStartingWith(reason);
    }
    assertThat(ledgers.value(KEY)).isEqualTo(1);
  }
}
