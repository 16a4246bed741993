package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Action;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.domain.intent.Intent;
import dev.hapax.v1.IntentState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
@Tag("long")
class IntentFaultsIT {
  private static final String RUN = "run_01h455vb4pex5vsknk084sn02q";
  private static final int TRANSACTIONS = 10_000;
  private static final int CLIENTS = 4;
  private static final int LONG_ONES = 5;
  private static final int MOST_INTENTS = Intent.MAX_POSTED_PER_WORKSPACE;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** The tickets of the workspace whose transactions were committed. */
  private final Set<String> committed = ConcurrentHashMap.newKeySet();

  @Test
  @Tag("D5")
  @DisplayName(
      "given 10,000 transactions, a third rolled back, some open for long, and servers that are"
          + " killed, then the runs are those that were committed")
  void killed() throws Exception {
    try (var deployment = Deployment.start();
        var runs = RunCaller.to(deployment.target());
        var clients = Executors.newFixedThreadPool(CLIENTS)) {
      runs.define("order", RunCaller.timer("pause", Caller.seconds(3_600)));
      try (var sql = SqlCaller.to(deployment.database(), runs)) {
        var open = new ArrayList<Connection>();
        var late = new ArrayList<String>();
        for (var i = 0; i < LONG_ONES; i++) {
          open.add(sql.begin());
          late.add(sql.post(open.getLast(), "start_run", "'order'"));
        }
        var first = deployment.server();
        var second = deployment.add();
        var _ = second.awaitReady();
        var posting =
            clients.invokeAll(
                List.<Callable<Boolean>>of(
                    () -> posts(sql, 1),
                    () -> posts(sql, 2),
                    () -> posts(sql, 3),
                    () -> {
                      Condition.await("some posted", PATIENCE, () -> committed.size() > 2_000);
                      first.kill9();
                      Condition.await("more posted", PATIENCE, () -> committed.size() > 4_000);
                      second.kill9();
                      return true;
                    }));
        for (var client : posting) {
          assertThat(client.get()).isTrue();
        }
        var third = deployment.add();
        var _ = third.awaitReady();
        for (var connection : open) {
          connection.commit();
          connection.close();
        }
        committed.addAll(late);
        Condition.await(
            "all are taken", PATIENCE, () -> count(deployment, "inbox", runs).equals("0"));
        assertThat(committed).hasSizeGreaterThan(TRANSACTIONS / 2);
        assertThat(started(deployment, runs)).isEqualTo(committed);
        assertThat(count(deployment, "intent_outcome", runs)).isEqualTo("" + committed.size());
      }
    }
  }

  private boolean posts(SqlCaller sql, int seed) throws SQLException {
    var random = new Random(seed);
    try (var connection = sql.begin()) {
      for (var i = 0; i < TRANSACTIONS / (CLIENTS - 1); i++) {
        var tickets = new ArrayList<String>();
        for (var n = random.nextInt(2); n >= 0; n--) {
          tickets.add(sql.post(connection, "start_run", "'order'"));
        }
        if (random.nextInt(3) == 0) {
          connection.rollback();
        } else {
          connection.commit();
          committed.addAll(tickets);
        }
      }
    }
    return true;
  }

  @Test
  @Tag("D5")
  @Tag("soak")
  @DisplayName(
      "given transactions open for 60 s, then others are taken meanwhile, and those that commit"
          + " are taken afterwards")
  void open() throws SQLException {
    try (var deployment = Deployment.start();
        var runs = RunCaller.to(deployment.target())) {
      runs.define("order", RunCaller.timer("pause", Caller.seconds(3_600)));
      try (var sql = SqlCaller.to(deployment.database(), runs);
          var committing = sql.begin();
          var nesting = sql.begin();
          var undoing = sql.begin()) {
        var late = new ArrayList<String>();
        late.add(sql.post(committing, "start_run", "'order'"));
        var nested = nesting.setSavepoint();
        late.add(sql.post(nesting, "start_run", "'order'"));
        nesting.releaseSavepoint(nested);
        var _ = sql.post(undoing, "start_run", "'order'");
        Condition.await(
            "they are open for 60 s",
            PATIENCE,
            () -> {
              var ticket = postUnchecked(sql);
              committed.add(ticket);
              return sql.await(ticket).hasStarted() && youngest(deployment, sql) >= 60;
            });
        assertThat(started(deployment, runs)).isEqualTo(committed);
        committing.commit();
        nesting.commit();
        undoing.rollback();
        committed.addAll(late);
        // no call nudges the server
        Condition.await(
            "all are taken", () -> started(deployment, runs).size() == committed.size());
        assertThat(started(deployment, runs)).isEqualTo(committed);
        assertThat(count(deployment, "inbox", runs)).isEqualTo("0");
      }
    }
  }

  private static String postUnchecked(SqlCaller sql) {
    try {
      return sql.post("start_run", "'order'");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For how many seconds the youngest transaction of the application has been open. */
  private static double youngest(Deployment deployment, SqlCaller sql) {
    return Double.parseDouble(
        deployment
            .database()
            .query(
                """
                SELECT extract(epoch FROM min(clock_timestamp() - xact_start)) FROM pg_stat_activity
                WHERE usename = '%s' AND state = 'idle in transaction'"""
                    .formatted(sql.role())));
  }

  @Test
  @Tag("D5")
  @DisplayName(
      "given a workspace with 500,000 intents, then each function refuses its next one with HX005,"
          + " and accepts it when there is room; another workspace posts and completes [security-S1]")
  void full() throws SQLException {
    try (var deployment = Deployment.start();
        var caller = ClaimCaller.to(deployment.target())) {
      var records = ClaimedRecord.ofEachKind(caller, 1);
      try (var sql = SqlCaller.to(deployment.database(), caller.runs());
          var connection = deployment.database().connect()) {
        // the rows are never committed, so that no server takes them
        connection.setAutoCommit(false);
        fill(connection, caller.workspace(), MOST_INTENTS);
        execute(connection, "SET SESSION AUTHORIZATION " + sql.role());
        assertFull(connection, () -> sql.post(connection, "start_run", "'order'"));
        assertFull(connection, () -> sql.post(connection, "start_run", "'order', version => '1'"));
        assertFull(
            connection, () -> sql.post(connection, "signal_run", "'%s', 'paid'".formatted(RUN)));
        assertFull(connection, () -> sql.post(connection, "signal_hook", "'token', 'paid'"));
        assertFull(connection, () -> sql.post(connection, "cancel_run", "'%s'".formatted(RUN)));
        for (var record : records) {
          assertFull(connection, () -> record.complete(sql, connection));
        }
        assertFullForClient(connection, caller);
        assertOthersPost(deployment, connection);
        execute(connection, "RESET SESSION AUTHORIZATION");
        execute(
            connection, "DELETE FROM hapax.inbox WHERE seq = (SELECT min(seq) FROM hapax.inbox)");
        execute(connection, "SET SESSION AUTHORIZATION " + sql.role());
        assertThat(sql.post(connection, "start_run", "'order'")).startsWith("run_");
        connection.rollback();
      }
    }
  }

  private static void assertFull(Connection connection, ThrowingCallable post) throws SQLException {
    var before = connection.setSavepoint();
    assertThatThrownBy(post)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> {
              assertThat(e.getSQLState()).isEqualTo("HX005");
              assertThat(e.getMessage())
                  .contains("the inbox is full for workspace ")
                  .contains(": it has 500000 intents")
                  .contains("Check that a Hapax server runs on this database");
            });
    connection.rollback(before);
  }

  private static void assertOthersPost(Deployment deployment, Connection connection)
      throws SQLException {
    var before = connection.setSavepoint();
    execute(connection, "RESET SESSION AUTHORIZATION");
    try (var other = ClaimCaller.to(deployment.target());
        var sql = SqlCaller.to(deployment.database(), other.runs())) {
      var records = ClaimedRecord.ofEachKind(other, 1);
      execute(connection, "SET SESSION AUTHORIZATION " + sql.role());
      assertThat(sql.post(connection, "start_run", "'order'")).startsWith("run_");
      for (var record : records) {
        record.complete(sql, connection);
      }
      connection.rollback(before);
    }
  }

  /** The client throws it, and the entity is free again. */
  private static void assertFullForClient(Connection connection, ClaimCaller caller)
      throws SQLException {
    var id = caller.approved("full").getId();
    var hapax =
        Hapax.builder(Map.of())
            .channel(caller.runs().caller().channel())
            .workspace(caller.workspace())
            .connect();
    var before = connection.setSavepoint();
    assertThatThrownBy(
            () ->
                hapax
                    .entities()
                    .tryAct(
                        Action.of(ClaimCaller.LIFECYCLE, id, "close", "admin"),
                        Codec.jsonText(),
                        claim -> claim.completeIn(connection, "1")))
        .isInstanceOf(HapaxException.Refused.class)
        .hasMessageContaining("the inbox of Hapax is full");
    connection.rollback(before);
    assertThat(caller.get(id).getStatus()).isEqualTo("approved");
  }

  private static void fill(Connection connection, String workspace, int rows) throws SQLException {
    execute(
        connection,
        String.format(
            Locale.ROOT,
            """
        INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, definition, input)
          SELECT '%s', gen_random_uuid(), nextval('hapax.inbox_seq'), clock_timestamp(), 'shop', 1, 2, 'order', '{}'
          FROM generate_series(1, %d)""",
            workspace,
            rows));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String count(Deployment deployment, String table, RunCaller runs) {
    return deployment
        .database()
        .query(
            "SELECT count(*) FROM hapax.%s WHERE workspace = '%s'"
                .formatted(table, runs.workspace()));
  }

  private static Set<String> started(Deployment deployment, RunCaller runs) {
    var ids =
        deployment
            .database()
            .query(
                "SELECT string_agg(hapax.print_id('run', id), ',') FROM hapax.run WHERE workspace = '%s'"
                    .formatted(runs.workspace()));
    return new HashSet<>(List.of(ids.split(",")));
  }

  @Test
  @Tag("D9")
  @DisplayName("given no server for a while, then what was posted is taken after the start")
  void noServer() throws SQLException {
    try (var deployment = Deployment.start();
        var runs = RunCaller.to(deployment.target())) {
      runs.define("order", RunCaller.task("charge"));
      try (var sql = SqlCaller.to(deployment.database(), runs)) {
        deployment.server().kill9();
        try (var connection = sql.connect()) {
          for (var i = 0; i < 1_000; i++) {
            committed.add(sql.post(connection, "start_run", "'order'"));
          }
        }
        assertThat(started(deployment, runs)).containsExactly("null");
        try (var after = runs.via(deployment.add().awaitReady())) {
          Condition.await(
              "all are taken", PATIENCE, () -> count(deployment, "inbox", runs).equals("0"));
          assertThat(started(deployment, runs)).isEqualTo(committed);
          var again = new SqlCaller(sql.administrator(), after, sql.role());
          assertThat(again.list(IntentState.INTENT_STATE_POSTED)).isEmpty();
        }
      }
    }
  }
}
