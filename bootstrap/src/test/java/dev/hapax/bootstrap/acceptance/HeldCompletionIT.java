package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status.Code;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transaction that completed a record, and stays open. */
@Tag("fault")
class HeldCompletionIT {
  private static final int CLIENTS = 4;
  private static final int SOME = 20;

  private final Deployment deployment = Deployment.start();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), caller.runs());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger completed = new AtomicInteger();
  private volatile boolean over;

  @AfterEach
  void close() {
    over = true;
    threads.shutdownNow();
    sql.close();
    caller.close();
    deployment.close();
  }

  /** Others who act on entities of their own, one after the other. */
  private List<Future<?>> others() {
    var clients = new ArrayList<Future<?>>();
    for (var i = 0; i < CLIENTS; i++) {
      var client = i;
      clients.add(
          threads.submit(
              () -> {
                for (var n = 0; !over; n++) {
                  var id = String.format(Locale.ROOT, "other-%d-%d", client, n);
                  var _ = caller.approved(id);
                  assertThat(caller.complete(caller.claimed(id)).hasCompleted()).isTrue();
                  completed.incrementAndGet();
                }
              }));
    }
    return clients;
  }

  private void awaitCompleted(int more) {
    var enough = completed.get() + more;
    Condition.await(more + " others complete", () -> completed.get() >= enough);
  }

  private void finish(List<Future<?>> others) throws Exception {
    over = true;
    for (var other : others) {
      other.get();
    }
  }

  /** Corrects it, which is possible once it is closed. On a slow machine, calls time out before. */
  private Future<BeginActionResponse> correct(String id) {
    var attempt = caller.begin(id, "correct", "admin");
    var client = new Persistent<>(List.of(caller));
    return threads.submit(() -> client.ask(0, server -> server.send(attempt)));
  }

  @Test
  @Tag("D15")
  @DisplayName(
      "given an open transaction that completed an action, then other entities go on, and a call"
          + " about this one is answered after the commit")
  void heldForSome() throws Exception {
    var record = ClaimedRecord.action(caller, "held");
    var others = others();
    awaitCompleted(SOME);
    try (var connection = sql.begin()) {
      record.complete(sql, connection);
      var next = correct("held");
      // a call that is blocked costs others one lock timeout, and no more
      awaitCompleted(5 * SOME);
      assertThat(next.isDone()).isFalse();
      // a read does not wait
      assertThat(record.isCompleted(caller)).isFalse();
      connection.commit();
      assertThat(next.get().hasGranted()).isTrue();
    }
    finish(others);
    assertThat(caller.history("held")).hasSize(4);
  }

  @Test
  @Tag("D16")
  @DisplayName(
      "given a transaction that stays open for long, then calls about its record are UNAVAILABLE,"
          + " and others go on")
  void heldForLong() throws Exception {
    var record = ClaimedRecord.action(caller, "held");
    var others = others();
    try (var connection = sql.begin()) {
      record.complete(sql, connection);
      var refused = threads.submit(() -> Refusal.of(() -> record.renew(caller)).reason());
      awaitCompleted(5 * SOME);
      assertThat(refused.get()).isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
      connection.rollback();
    }
    Condition.await("it is free again", () -> record.renew(caller));
    finish(others);
    assertThat(caller.complete(record.claim()).hasCompleted()).isTrue();
  }

  @Test
  @Tag("D16")
  @DisplayName(
      "given a completion in a prepared transaction, then calls about its record are UNAVAILABLE"
          + " until it is resolved")
  void prepared() throws SQLException {
    for (var resolution : List.of("ROLLBACK", "COMMIT")) {
      var record = ClaimedRecord.action(caller, "prepared-" + resolution);
      var name = caller.workspace() + resolution;
      try (var connection = sql.begin();
          var statement = connection.createStatement()) {
        record.complete(sql, connection);
        statement.execute("PREPARE TRANSACTION '%s'".formatted(name));
        connection.setAutoCommit(true);
        assertThat(Refusal.of(() -> record.renew(caller)).reason())
            .isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
        statement.execute("%s PREPARED '%s'".formatted(resolution, name));
      }
      if (resolution.equals("COMMIT")) {
        assertThat(record.isCompleted(caller)).isTrue();
      } else {
        Condition.await("it is free again", () -> record.renew(caller));
      }
    }
  }

  @Test
  @Tag("D12")
  @DisplayName(
      "given servers that cannot take a completion for long, then it is taken once they can")
  void defect() throws SQLException {
    var record = ClaimedRecord.action(caller, "broken");
    deployment
        .database()
        .execute(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION defect() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS
              $$ SELECT nextval('public.tries') < 0 $$;
            ALTER TABLE hapax.entity_event
              ADD CONSTRAINT defect CHECK (entity_id <> 'broken' OR defect()) NOT VALID""");
    String ticket;
    try (var connection = sql.connect()) {
      ticket = sql.complete(connection, "complete_action", record.claim());
    }
    assertThat(Refusal.of(() -> record.isCompleted(caller)).code()).isEqualTo(Code.INTERNAL);
    // often enough to fail another intent
    Condition.await(
        "it was tried",
        () -> Integer.parseInt(deployment.database().query("SELECT last_value FROM tries")) > 10);
    deployment.database().execute("ALTER TABLE hapax.entity_event DROP CONSTRAINT defect");
    assertThat(sql.await(ticket).hasCompleted()).isTrue();
    assertThat(record.isCompleted(caller)).isTrue();
  }
}
