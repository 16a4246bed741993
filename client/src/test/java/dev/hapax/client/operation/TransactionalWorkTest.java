package dev.hapax.client.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.FakeDatabase;
import dev.hapax.client.FakeDatabase.Commit;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TransactionalWorkTest {

  private static final String DONE = "\"done\"";

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Operations operations =
      hapax.client(options -> options.withRecordTimeout(Duration.ofNanos(1))).operations();
  private final FakeDatabase database = new FakeDatabase(hapax.store::completeInTransaction);

  @AfterEach
  void close() {
    hapax.close();
  }

  private Outcome<String> execute(String requestId, TransactionalWork<String> work)
      throws SQLException {
    return operations.execute(
        OperationRequest.of("charge", requestId)
            .withPolicy(OperationPolicy.DEFAULT.withAccountChanging(true)),
        PayloadCodec.json(),
        database.dataSource(),
        work);
  }

  private Outcome<String> execute() throws SQLException {
    return execute("r-1", (operation, connection) -> DONE);
  }

  private OperationState state() {
    return hapax.store.state("r-1");
  }

  @Test
  @DisplayName("given work, then its result is recorded by the last statement, and replayed")
  void success() throws SQLException {
    assertThat(
            execute(
                "r-1",
                (operation, connection) -> {
                  operation.accountAfter("ann");
                  return DONE;
                }))
        .isEqualTo(new Outcome.Executed<>(DONE, true));

    assertThat(database.log()).containsExactly("complete_operation " + DONE + " ann", "commit");
    assertThat(hapax.faults.calls("complete") + hapax.faults.calls("fail")).isZero();
    assertThat(execute()).isInstanceOf(Outcome.Replayed.class);
  }

  @Test
  @DisplayName("given work that throws, then it is rolled back, and the key is free")
  void exception() {
    assertThatThrownBy(
            () ->
                execute(
                    "r-1",
                    (operation, connection) -> {
                      throw new SQLException("duplicate", "23505");
                    }))
        .isInstanceOf(SQLException.class);

    assertThat(database.log()).containsExactly("rollback");
    assertThat(state()).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
  }

  @Test
  @Tag("D17")
  @DisplayName("given a connection lost in COMMIT, then the outcome is that of the transaction")
  void inDoubt() throws SQLException {
    database.commits(Commit.LOST_BEFORE);
    assertThatThrownBy(this::execute).isInstanceOf(SQLException.class);
    assertThat(state()).isEqualTo(OperationState.OPERATION_STATE_RELEASED);

    database.commits(Commit.LOST_AFTER);
    assertThat(execute()).isEqualTo(new Outcome.Executed<>(DONE, true));
    assertThat(state()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
    assertThat(hapax.faults.calls("complete")).isZero();
  }

  @Test
  @Tag("D17")
  @DisplayName("given a commit in doubt, when Hapax does not respond, then it is unrecorded")
  void unknown() throws SQLException {
    database.commits(Commit.LOST_AFTER).before(() -> hapax.faults.down(true));

    assertThat(execute()).isInstanceOf(Outcome.Unrecorded.class);
  }

  @Test
  @DisplayName("given a claim that another attempt took, then its result is the outcome")
  void lost() throws SQLException {
    database.refuses("HX002");
    Payload other = Payload.newBuilder().setJson("\"other\"").build();

    assertThat(
            execute(
                "r-1",
                (operation, connection) -> {
                  hapax.store.takeOver("r-1", other);
                  return DONE;
                }))
        .isInstanceOfSatisfying(
            Outcome.Replayed.class, replay -> assertThat(replay.value()).isEqualTo("\"other\""));
    assertThat(database.log()).endsWith("rollback");
  }

  @Test
  @DisplayName("given a completion that is refused, then it is rolled back, and the key is free")
  void refused() {
    database.refuses("HX005");

    assertThatThrownBy(this::execute).isInstanceOf(SqlCompletionException.InboxFull.class);
    assertThat(state()).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
  }

  @Test
  @DisplayName("given no request id, then the writes are committed without a completion")
  void untracked() throws SQLException {
    assertThat(execute("", (operation, connection) -> DONE))
        .isEqualTo(new Outcome.Executed<>(DONE, false));
    assertThat(database.log()).containsExactly("commit");
  }

  private Outcome<String> byHand(boolean commit) throws SQLException {
    return operations.execute(
        OperationRequest.of("charge", "r-1"),
        PayloadCodec.json(),
        operation -> {
          Connection connection = database.connection();
          connection.setAutoCommit(false);
          String value = operation.complete(connection, DONE, PayloadCodec.json());
          if (commit) {
            connection.commit();
          } else {
            connection.rollback();
          }
          return value;
        });
  }

  @Test
  @DisplayName("given a transaction of the caller, then the outcome is that of the transaction")
  void ownTransaction() throws SQLException {
    assertThatThrownBy(() -> byHand(false)).isInstanceOf(OperationException.NotCommitted.class);
    assertThat(state()).isEqualTo(OperationState.OPERATION_STATE_RELEASED);

    assertThat(byHand(true)).isEqualTo(new Outcome.Executed<>(DONE, true));
    assertThat(state()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
  }
}
