package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.testkit.ledger.Counter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Commits nothing but the check of a decision of this time. */
  private void require(Instant decided, Workspace workspace) throws SQLException {
    var fence = new DatabaseFence(0, 1);
    try (var connection = ledgers.database().connect()) {
      var pipeline = new Pipeline(connection);
      pipeline.add("BEGIN");
      fence.require(
          pipeline, WorkspaceScope.of(workspace), decided, new DatabaseFence.Timeouts(750, 10_000));
      pipeline.add("COMMIT");
      pipeline.run();
    }
  }

  private void assertRequired(Instant decided, Workspace workspace) {
    assertThatThrownBy(() -> require(decided, workspace))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(SqlState.of(e)).isEqualTo(SqlState.RETRY));
  }

  private Instant now() {
    return Instant.parse(
        ledgers
            .database()
            .query(
                "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',"
                    + " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"));
  }

  @Test
  @DisplayName(
      "given a decision without a query, when its time is not that of the commit, then it is made"
          + " again")
  void time() throws SQLException {
    require(now(), KEY.workspace());
    assertRequired(now().minusSeconds(2), KEY.workspace());
    assertRequired(now().plusSeconds(1), KEY.workspace());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO hapax.restoration (epoch, kind) VALUES (1, 'copy')",
        "UPDATE hapax.required_feature SET feature = 2",
        "INSERT INTO hapax.moved (workspace) VALUES ('%s')"
      })
  @DisplayName("given a decision without a query, when the fence is closed, then it is made again")
  void state(String change) throws SQLException {
    ledgers.database().execute(change.replace("%s", KEY.workspace().name()));
    assertRequired(now(), KEY.workspace());
  }

  @Test
  @DisplayName("given tables that may be elsewhere, then each batch asks before it decides")
  void distributed() {
    var fence = new DatabaseFence("eu", 0, 1, true);
    fence.clock().read(Instant.now(), System.nanoTime());
    assertThat(fence.clock().estimate()).isPresent();
    assertThat(fence.estimate()).isEmpty();
  }
}
