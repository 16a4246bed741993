package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.ledger.CommitReceipt.CommitState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommitReceiptIT {
  private final TestLedgers ledgers = new TestLedgers();
  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    connection = ledgers.database().connect();
  }

  @AfterEach
  void stop() throws SQLException {
    connection.close();
    ledgers.close();
  }

  private long raise(CommitReceipt receipt) throws SQLException {
    receipt.register(connection);
    var pipeline = new Pipeline(connection);
    var number = receipt.raise(pipeline);
    pipeline.run();
    return number;
  }

  private String rows() {
    return ledgers.database().query("SELECT count(*) FROM hapax.committer");
  }

  @Test
  @DisplayName("given a committed batch, when it is resolved, then it is committed each time")
  void committed() throws SQLException {
    var receipt = new CommitReceipt(Duration.ofDays(1));
    var number = raise(receipt);

    assertThat(receipt.resolve(connection, number)).isEqualTo(CommitState.COMMITTED);
    assertThat(receipt.resolve(connection, number)).isEqualTo(CommitState.COMMITTED);
    assertThat(raise(receipt)).isGreaterThan(number);
  }

  @Test
  @DisplayName(
      "given a batch that was not committed, when it is resolved, then it is not, each time, and the next batch is another one")
  void notCommitted() throws SQLException {
    var receipt = new CommitReceipt(Duration.ofDays(1));
    raise(receipt);
    var number = receipt.raise(new Pipeline(connection));

    assertThat(receipt.resolve(connection, number)).isEqualTo(CommitState.NOT_COMMITTED);
    assertThat(receipt.resolve(connection, number)).isEqualTo(CommitState.NOT_COMMITTED);
    var next = raise(receipt);
    assertThat(receipt.resolve(connection, next)).isEqualTo(CommitState.COMMITTED);
  }

  @Test
  @DisplayName(
      "given a lost row, when a batch is resolved, then it is unknown, and the next one gets a new row")
  void gone() throws SQLException {
    var receipt = new CommitReceipt(Duration.ofDays(1));
    var number = raise(receipt);
    ledgers.database().execute("DELETE FROM hapax.committer");

    assertThat(receipt.resolve(connection, number)).isEqualTo(CommitState.UNKNOWN);
    raise(receipt);
    assertThat(rows()).isEqualTo("1");
  }

  @Test
  @DisplayName("given a row of a certain age, then the next batch gets a new one")
  void keptForATime() throws SQLException {
    var kept = new CommitReceipt(Duration.ofDays(1));
    raise(kept);
    raise(kept);
    assertThat(rows()).isEqualTo("1");

    var renewed = new CommitReceipt(Duration.ZERO);
    raise(renewed);
    var number = raise(renewed);
    assertThat(number).isEqualTo(1);
    assertThat(rows()).isEqualTo("2");
  }

  @Test
  @DisplayName("given a row with a thousand versions, then the next batch gets a new one")
  void oldId() throws SQLException {
    var receipt = new CommitReceipt(Duration.ofDays(1));
    for (var times = 1; times <= 1_000; times++) {
      assertThat(raise(receipt)).isEqualTo(times);
    }

    var number = raise(receipt);

    assertThat(number).isEqualTo(1);
    assertThat(rows()).isEqualTo("1");
    assertThat(receipt.resolve(connection, number)).isEqualTo(CommitState.COMMITTED);
  }

  @Test
  @DisplayName("given a row in doubt, when it is replaced, then it stays to be read")
  void leftInDoubt() throws SQLException {
    var receipt = new CommitReceipt(Duration.ofDays(1));
    raise(receipt);

    receipt.forget();
    raise(receipt);

    assertThat(rows()).isEqualTo("2");
  }
}
