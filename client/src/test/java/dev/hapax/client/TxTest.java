package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Calls.Answer;
import dev.hapax.client.FakeDatabase.Commit;
import dev.hapax.client.HolderScene.Verb;
import dev.hapax.client.internal.CompletionFunction;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that is completed in a transaction: the same rules for operations and actions. */
@Timeout(60)
@ParameterizedClass(name = "{0}")
@EnumSource
class TxTest {

  private static final String DONE = "\"done\"";

  @Parameter Verb verb = Verb.OPERATION;

  private @Nullable HolderScene opened;
  private @Nullable FakeDatabase database;

  private HolderScene scene() {
    HolderScene scene = opened;
    if (scene == null) {
      scene = new HolderScene(verb);
      opened = scene;
    }
    return scene;
  }

  private FakeDatabase database() {
    FakeDatabase known = database;
    if (known == null) {
      known = scene().database();
      database = known;
    }
    return known;
  }

  @AfterEach
  void close() {
    scene().close();
  }

  private Object inTransaction() throws SQLException {
    return scene().attempt(claim -> Tx.run(database().dataSource(), claim, connection -> DONE));
  }

  private Object byHand(Work<String, SQLException> work) throws SQLException {
    return scene().attempt(work);
  }

  private Connection begun() throws SQLException {
    Connection connection = database().connection();
    connection.setAutoCommit(false);
    return connection;
  }

  private String completion(String value) {
    return switch (verb) {
      case OPERATION -> "complete_operation " + value + " null"; // the account stays
      case ACTION -> "complete_action " + value;
    };
  }

  private void assertDone(Object outcome) {
    assertThat(outcome).isInstanceOfAny(OnceOutcome.Done.class, ActOutcome.Done.class);
    assertThat(HolderScene.orThrow(outcome)).isEqualTo(DONE);
    assertThat(scene().isCompleted()).isTrue();
    assertThat(scene().completions()).as("only the transaction completed it").isZero();
    if (outcome instanceof ActOutcome.Done<?> done) {
      assertThat(done.entity().status()).as("read after the transaction").isEqualTo("closed");
    }
  }

  private void assertFree() {
    assertThat(scene().isFree()).isTrue();
    assertThat(scene().completions()).isZero();
  }

  @Test
  @DisplayName("given a commit that returned, then the work is done without another call")
  void committed() throws SQLException {
    assertDone(inTransaction());

    assertThat(database().log()).containsExactly(completion(DONE), "commit");
    assertThat(scene().failures()).isZero();
  }

  @Test
  @DisplayName("given a body that throws, then it is rolled back, and the failure is recorded")
  void thrown() {
    IOException full = new IOException("disk full");

    assertThatThrownBy(
            () ->
                scene()
                    .<String, Exception>attempt(
                        Codec.jsonText(),
                        claim ->
                            Tx.<String, IOException>run(
                                database().dataSource(),
                                claim,
                                connection -> {
                                  throw full;
                                })))
        .isSameAs(full);

    assertThat(database().log()).containsExactly("rollback");
    assertFree();
  }

  @Test
  @Tag("D17")
  @DisplayName("given a connection lost in COMMIT, then the outcome is that of the transaction")
  void inDoubt() throws SQLException {
    database().commits(Commit.LOST_BEFORE);
    assertThatThrownBy(this::inTransaction)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("connection is lost");
    assertFree();

    database().commits(Commit.LOST_AFTER);
    assertDone(inTransaction());
    assertThat(scene().failures()).isEqualTo(2);
  }

  @Test
  @Tag("D17")
  @DisplayName("given a commit in doubt, when Hapax does not answer, then it is unrecorded")
  void inDoubtAndAway() throws SQLException {
    database().commits(Commit.LOST_AFTER).before(() -> scene().hapax.faults.down(true));

    assertThat(inTransaction())
        .isInstanceOfSatisfying(
            OnceOutcome.Unrecorded.class, unsure -> assertThat(unsure.value()).isEqualTo(DONE));
  }

  @Test
  @DisplayName("given a commit that returned, when Hapax is away, then the work is done")
  void committedWhileAway() throws SQLException {
    database().before(() -> scene().hapax.faults.down(true));
    Object outcome = inTransaction();

    assertThat(HolderScene.orThrow(outcome)).isEqualTo(DONE);
    if (outcome instanceof ActOutcome.Done<?> done) {
      assertThat(done.entity().status()).as("as it was granted").isEqualTo("closing");
    }
  }

  @Test
  @DisplayName("given work that throws after a commit, then it is done")
  void thrownAfterCommit() throws SQLException {
    try (LogRecorder log = LogRecorder.of(Holder.class)) {
      assertDone(
          byHand(
              claim -> {
                Tx.run(database().dataSource(), claim, connection -> DONE);
                throw new SQLException("cannot be closed");
              }));
      assertThat(log.lines()).singleElement().asString().contains("was committed, but its work");
    }
  }

  @Test
  @DisplayName("given a transaction of the caller, then Hapax is asked whether it was committed")
  void ownTransaction() throws SQLException {
    assertThatThrownBy(
            () ->
                byHand(
                    claim -> {
                      Connection connection = begun();
                      String value = claim.completeIn(connection, DONE);
                      connection.rollback();
                      return value;
                    }))
        .isInstanceOf(HapaxException.NotCommitted.class)
        .hasMessageContaining("was not committed");
    assertFree();

    assertDone(
        byHand(
            claim -> {
              Connection connection = begun();
              String value = claim.completeIn(connection, DONE);
              connection.commit();
              return value;
            }));
    assertThat(scene().failures()).isEqualTo(2);
  }

  @Test
  @DisplayName("given a transaction that is repeated after a rollback, then the last one counts")
  void repeated() throws SQLException {
    assertDone(
        byHand(
            claim -> {
              Connection connection = begun();
              claim.completeIn(connection, "\"first\"");
              connection.rollback();
              String value = claim.completeIn(connection, DONE);
              connection.commit();
              return value;
            }));
  }

  @Test
  @DisplayName("given a claim that another holder took, then it is rolled back and lost")
  void lost() throws SQLException {
    database().refuses("HX002");
    Object outcome =
        scene()
            .attempt(
                claim -> {
                  scene().takeOver();
                  return Tx.run(database().dataSource(), claim, connection -> DONE);
                });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            OnceOutcome.ClaimLost.class,
            over -> {
              assertThat(over.reason()).isEqualTo("LEASE_LOST");
              assertThat(over.failure())
                  .isInstanceOf(HapaxException.ClaimLost.class)
                  .hasCauseInstanceOf(SQLException.class);
            });
    assertThat(database().log()).endsWith("rollback");
  }

  @ParameterizedTest
  @CsvSource({
    "HX001, an argument of the completion is invalid: refused",
    "HX003, an action without a claim state cannot be completed in a transaction: refused",
    "HX004, a server of Hapax is too old for completions in a transaction: refused",
    "HX005, the inbox of Hapax is full: refused",
    "42501, the database role may not complete; grant it with hapax sql grant: refused"
  })
  @DisplayName("given a completion that Hapax refuses, then the exception says why")
  void refused(String state, String message) {
    database().refuses(state);

    assertThatThrownBy(this::inTransaction)
        .isInstanceOf(HapaxException.Refused.class)
        .hasMessage(message)
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class, cause -> assertThat(cause.getSQLState()).isEqualTo(state));
    assertThat(database().log()).endsWith("rollback");
    assertFree();
  }

  @Test
  @DisplayName("given another error of the database, then it is the caller's")
  void broken() {
    database().refuses("08006");

    assertThatThrownBy(this::inTransaction).isInstanceOf(SQLException.class);
    assertFree();
  }

  @Test
  @DisplayName(
      "given a binary result or a connection in auto-commit mode, then nothing is completed")
  void misused() {
    assertThatThrownBy(
            () ->
                scene()
                    .<String, SQLException>attempt(
                        Codec.text(),
                        claim -> Tx.run(database().dataSource(), claim, connection -> DONE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("JSON");
    assertFree();

    assertThatThrownBy(
            () -> byHand(claim -> claim.completeIn(scene().database().connection(), DONE)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("auto-commit");
    assertFree();
  }

  @Test
  @DisplayName("given a completion, then its claim is not renewed during and after it")
  void stopsRenewals() throws SQLException {
    database().before(() -> scene().hapax.timing.advance(Duration.ofMinutes(5)));

    assertDone(inTransaction());
    assertThat(scene().renewals()).isZero();
  }

  @Test
  @DisplayName("given less than half of a lease, then it is renewed once before the completion")
  void renewsLast() throws SQLException {
    assertDone(
        scene()
            .attempt(
                claim ->
                    Tx.run(
                        database().dataSource(),
                        claim,
                        connection -> {
                          scene().hapax.timing.sleepThrough(Duration.ofSeconds(40));
                          return DONE;
                        })));
    assertThat(scene().renewals()).isEqualTo(1);
  }

  @Test
  @DisplayName("given work that is not tracked, then it is committed without a completion")
  void untracked() throws SQLException {
    assertThat(
            scene()
                .client
                .once(
                    Operation.of("charge", ""),
                    Codec.jsonText(),
                    claim -> Tx.run(database().dataSource(), claim, connection -> DONE)))
        .isEqualTo(DONE);
    assertThat(database().log()).containsExactly("commit");
  }

  @Test
  @DisplayName("given an operation that changes accounts, then its account is completed, too")
  void accountAfter() throws SQLException {
    FakeDatabase own = new FakeDatabase(scene().hapax.store::completeInTransaction);
    scene()
        .client
        .once(
            Operation.of("sign-up", "key").accountChanging(),
            Codec.jsonText(),
            claim -> {
              claim.accountAfter("ann");
              return Tx.run(own.dataSource(), claim, connection -> DONE);
            });

    assertThat(own.log()).containsExactly("complete_operation " + DONE + " ann", "commit");
  }

  @Test
  @DisplayName("given a task, then its completion has the change of the state")
  void task() throws SQLException {
    FakeDatabase own = new FakeDatabase(posted -> {});
    var connection = scene().client.connection();
    Claim claim =
        Claim.of(
            new Claim.Grant(
                dev.hapax.v1.Claim.newBuilder().setId("task-1").setFence(7).build(),
                1,
                false,
                false,
                SqlCompletion.by(
                    CompletionFunction.TASK,
                    connection,
                    Codec.jsonText(),
                    any -> new String[] {"{\"paid\": true}"})),
            scene().hapax.timing,
            new Answer<>("granted", scene().hapax.timing.nanos(), 0),
            HolderScene.LEASE,
            Duration.ofHours(1),
            () -> {});

    String value = Tx.run(own.dataSource(), claim, any -> DONE);

    assertThat(value).isEqualTo(DONE);
    assertThat(own.log()).containsExactly("complete_task " + DONE + " {\"paid\": true}", "commit");
    assertThat(claim.isCommitted()).isTrue();
  }
}
