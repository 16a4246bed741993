package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RunStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Completions in unusual transactions, of unusual records, and at the limits of sizes. */
class CompletionLimitsIT {
  private static final String CLAIM_LOST = "HX002";
  private static final String INVALID = "HX001";
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final int LIMIT = 256 * 1024;

  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final RunCaller runs = caller.runs();
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);

  @AfterEach
  void close() {
    sql.close();
    caller.close();
  }

  private static void assertRefused(String state, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(state));
  }

  private void assertCompleted(ClaimedRecord record) {
    assertThat(record.isCompleted(caller)).as("%s", record).isTrue();
  }

  @Test
  @Tag("D11")
  @DisplayName("given a completion that is undone by ROLLBACK TO, then another one may follow")
  void savepoint() throws SQLException {
    for (var record : ClaimedRecord.ofEachKind(caller, 1)) {
      try (var connection = sql.begin()) {
        var before = connection.setSavepoint();
        record.complete(sql, connection);
        connection.rollback(before);
        record.complete(sql, connection);
        var refused = connection.setSavepoint();
        assertRefused(CLAIM_LOST, () -> record.complete(sql, connection));
        connection.rollback(refused);
        connection.commit();
      }
      assertCompleted(record);
    }
  }

  @Test
  @Tag("D11")
  @DisplayName("given a completion that is undone by ROLLBACK TO, then the commit completes nothing")
  void undone() throws SQLException {
    for (var record : ClaimedRecord.ofEachKind(caller, 1)) {
      try (var connection = sql.begin()) {
        var before = connection.setSavepoint();
        record.complete(sql, connection);
        connection.rollback(before);
        connection.commit();
      }
      assertThat(record.renew(caller)).isTrue();
      assertThat(record.isCompleted(caller)).isFalse();
    }
  }

  @Test
  @Tag("D12")
  @DisplayName(
      "given stricter isolation, then records are completed, unless they changed since the"
          + " transaction began")
  void isolation() throws SQLException {
    for (var level :
        List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE)) {
      for (var record : ClaimedRecord.ofEachKind(caller.via(deployment.target()), 1)) {
        try (var connection = sql.begin()) {
          connection.setTransactionIsolation(level);
          snapshot(connection);
          assertThat(record.renew(caller)).isTrue();
          assertRefused(SERIALIZATION_FAILURE, () -> record.complete(sql, connection));
          connection.rollback();
          snapshot(connection);
          record.complete(sql, connection);
          connection.commit();
        }
        assertCompleted(record);
        if (record.kind() != ClaimedRecord.Kind.TASK) {
          try (var connection = sql.connect()) {
            assertRefused(CLAIM_LOST, () -> record.complete(sql, connection));
          }
        }
      }
      close(level);
    }
  }

  private static void snapshot(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    }
  }
}
