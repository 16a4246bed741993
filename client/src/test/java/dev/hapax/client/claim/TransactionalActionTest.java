package dev.hapax.client.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.FakeDatabase;
import dev.hapax.client.FakeDatabase.Commit;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RenewActionRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class TransactionalActionTest {

  private static final ActionRequest CLOSE =
      ActionRequest.of(EntityKey.of("billing", "17"), "close", "admin")
          .withLease(Duration.ofSeconds(60));

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Claims claims = hapax.client().claims();
  private final FakeDatabase database = new FakeDatabase(hapax.entities::completeInTransaction);

  @BeforeEach
  void approve() {
    hapax.entities.put("17", "approved");
  }

  @AfterEach
  void close() {
    hapax.close();
  }

  private ActionOutcome<String> close(TransactionalAction<String> action) throws SQLException {
    return claims.run(CLOSE, database.dataSource(), action);
  }

  private ActionOutcome<String> close(ActionResult<String> result) throws SQLException {
    return close((action, connection) -> result);
  }

  private int failed() {
    return hapax.entities.requests(FailActionRequest.class).size();
  }

  private void assertRan(ActionOutcome<String> outcome) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Ran.class,
            ran -> {
              assertThat(ran.value()).isEqualTo("done");
              assertThat(ran.entity().getStatus()).isEqualTo("closed");
            });
    assertThat(hapax.entities.requests(CompleteActionRequest.class)).isEmpty();
  }

  private void assertReverted() {
    assertThat(hapax.entities.status("17")).isEqualTo("approved");
    assertThat(hapax.entities.requests(CompleteActionRequest.class)).isEmpty();
  }

  @Test
  @DisplayName("given a success, then it is completed with its output as the last statement")
  void success() throws SQLException {
    Payload output = Payload.newBuilder().setJson("\"done\"").build();
    assertRan(close(new ActionResult.Success<>("done", output)));

    assertThat(database.log()).containsExactly("complete_action \"done\"", "commit");
    assertThat(failed()).isZero();
  }

  @Test
  @DisplayName("given a failure, then the transaction is rolled back, and the entity reverted")
  void failure() throws SQLException {
    assertThat(close(ActionResult.failure("no")))
        .isInstanceOfSatisfying(
            ActionOutcome.Failed.class, outcome -> assertThat(outcome.message()).isEqualTo("no"));

    assertThat(database.log()).startsWith("rollback").doesNotContain("complete_action null");
    assertReverted();
  }

  @Test
  @DisplayName("given an exception, then the transaction is rolled back, and it is rethrown")
  void exception() {
    assertThatThrownBy(
            () ->
                close(
                    (action, connection) -> {
                      throw new SQLException("duplicate", "23505");
                    }))
        .isInstanceOf(SQLException.class);

    assertThat(database.log()).containsExactly("rollback");
    assertReverted();
  }

  @Test
  @Tag("D17")
  @DisplayName("given a connection lost in COMMIT, when it was committed, then the outcome is Ran")
  void committedInDoubt() throws SQLException {
    database.commits(Commit.LOST_AFTER);

    assertRan(close(ActionResult.success("done")));
    assertThat(failed()).isEqualTo(1);
  }

  @Test
  @Tag("D17")
  @DisplayName(
      "given a connection lost in COMMIT, when it was rolled back, then the entity is reverted")
  void rolledBackInDoubt() {
    database.commits(Commit.LOST_BEFORE);

    assertThatThrownBy(() -> close(ActionResult.success("done")))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("connection is lost");
    assertReverted();
  }

  @Test
  @Tag("D17")
  @DisplayName("given a commit in doubt, when Hapax does not respond, then it is unrecorded")
  void unknown() throws SQLException {
    database.commits(Commit.LOST_AFTER);
    ActionOutcome<String> outcome =
        hapax
            .client(options -> options.withRecordTimeout(Duration.ofNanos(1)))
            .claims()
            .run(
                CLOSE,
                database.dataSource(),
                (action, connection) -> {
                  hapax.faults.down(true);
                  // its lease is over, so that nothing is retried
                  hapax.timing.sleepThrough(Duration.ofSeconds(60));
                  return ActionResult.success("done");
                });

    assertThat(outcome).isInstanceOf(ActionOutcome.Unrecorded.class);
  }

  @Test
  @DisplayName("given a committed transaction, when Hapax is down, then the outcome is still Ran")
  void committedWhileDown() throws SQLException {
    ActionOutcome<String> outcome =
        hapax
            .client(options -> options.withCallTimeout(Duration.ofMillis(1)))
            .claims()
            .run(
                CLOSE,
                database.dataSource(),
                (action, connection) -> {
                  database.before(() -> hapax.faults.down(true));
                  return ActionResult.success("done");
                });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Ran.class,
            ran -> assertThat(ran.entity().getStatus()).isEqualTo("closing"));
  }

  @Test
  @DisplayName("given a lost claim, then the outcome is ClaimLost with the cause")
  void lost() throws SQLException {
    database.refuses("HX002");
    ActionOutcome<String> outcome =
        close(
            (action, connection) -> {
              hapax.entities.takeBack("17", ClaimLostReason.CLAIM_LOST_REASON_RELEASED);
              return ActionResult.success("done");
            });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.ClaimLost.class,
            claim -> {
              assertThat(claim.reason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RELEASED);
              assertThat(claim.failure()).isInstanceOf(ActionException.ClaimLost.class);
            });
    assertThat(database.log()).endsWith("rollback");
  }

  @ParameterizedTest
  @CsvSource({
    "HX001, InvalidArgument",
    "HX003, NoClaimState",
    "HX004, OlderServer",
    "HX005, InboxFull",
    "42501, NotGranted"
  })
  @DisplayName(
      "given a completion that is refused, then the exception has the type of its SQLSTATE")
  void refused(String state, String type) {
    database.refuses(state);

    assertThatThrownBy(() -> close(ActionResult.success("done")))
        .isInstanceOf(SqlCompletionException.class)
        .satisfies(thrown -> assertThat(thrown.getClass().getSimpleName()).isEqualTo(type))
        .hasCauseInstanceOf(SQLException.class);
    assertThat(database.log()).endsWith("rollback");
    assertReverted();
  }

  @Test
  @DisplayName("given a binary output, then it is rejected before the function is called")
  void binary() {
    assertThatThrownBy(() -> close(ActionResult.success("done", PayloadCodec.text())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("JSON");
    assertReverted();
  }

  @Test
  @DisplayName("given a completion, then the lease is not renewed during and after the call")
  void stopsRenewing() throws SQLException {
    database.before(() -> hapax.timing.advance(Duration.ofMinutes(5)));

    assertRan(close(ActionResult.success("done")));
    assertThat(hapax.entities.requests(RenewActionRequest.class)).isEmpty();
  }

  @Test
  @DisplayName("given less than half of a lease, then it is renewed once before the call")
  void renewsBefore() throws SQLException {
    assertRan(
        close(
            (action, connection) -> {
              hapax.timing.sleepThrough(Duration.ofSeconds(40));
              return ActionResult.success("done");
            }));
    assertThat(hapax.entities.requests(RenewActionRequest.class)).hasSize(1);
  }

  private ActionOutcome<String> byHand(TransactionalAction<String> action) throws SQLException {
    return claims.run(
        CLOSE,
        running -> {
          Connection connection = database.connection();
          connection.setAutoCommit(false);
          return action.run(running, connection);
        });
  }

  @Test
  @DisplayName("given a transaction of the caller, when it is committed, then the outcome is Ran")
  void ownTransaction() throws SQLException {
    assertRan(
        byHand(
            (action, connection) -> {
              ActionResult<String> result =
                  action.complete(connection, ActionResult.success("done"));
              connection.commit();
              return result;
            }));
  }

  @Test
  @DisplayName("given a success whose transaction was rolled back, then the action has failed")
  void ownTransactionRolledBack() throws SQLException {
    assertThat(
            byHand(
                (action, connection) -> {
                  ActionResult<String> result =
                      action.complete(connection, ActionResult.success("done"));
                  connection.rollback();
                  return result;
                }))
        .isInstanceOfSatisfying(
            ActionOutcome.Failed.class,
            failed -> assertThat(failed.message()).contains("was not committed"));
    assertReverted();
  }

  @Test
  @DisplayName("given a failure after a rollback, then its message is the outcome")
  void failedAfterRollback() throws SQLException {
    assertThat(
            byHand(
                (action, connection) -> {
                  var unused = action.complete(connection, ActionResult.success("done"));
                  connection.rollback();
                  return ActionResult.failure("no");
                }))
        .isInstanceOfSatisfying(
            ActionOutcome.Failed.class, failed -> assertThat(failed.message()).isEqualTo("no"));
    assertReverted();
  }

  @Test
  @DisplayName("given a transaction that is repeated after a rollback, then the last one counts")
  void repeated() throws SQLException {
    assertRan(
        byHand(
            (action, connection) -> {
              var unused = action.complete(connection, ActionResult.success("first"));
              connection.rollback();
              ActionResult<String> result =
                  action.complete(connection, ActionResult.success("done"));
              connection.commit();
              return result;
            }));
  }

  @Test
  @DisplayName("given a connection in auto-commit mode or a failure, then nothing is completed")
  void misused() {
    assertThatThrownBy(
            () ->
                claims.run(
                    CLOSE,
                    action -> action.complete(database.connection(), ActionResult.success("done"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("auto-commit");
    assertThatThrownBy(
            () ->
                byHand(
                    (action, connection) ->
                        action.complete(connection, ActionResult.failure("no"))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(database.log()).isEmpty();
    assertReverted();
  }
}
