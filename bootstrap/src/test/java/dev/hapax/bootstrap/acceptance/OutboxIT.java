package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.outbox.OutboxRelay;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class OutboxIT {
  private static final int TRANSACTIONS = 1_000;
  private static final int CLIENTS = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Deployment deployment = Deployment.shared();
  private final RunCaller runs = RunCaller.to(deployment.target());
  private final OutboxCaller outbox = new OutboxCaller(runs.workspace());

  OutboxIT() {
    runs.define("order", RunCaller.task("charge"));
    runs.define("approval", RunCaller.signal("approved", "approval"));
  }

  @AfterEach
  void close() {
    outbox.close();
    runs.close();
  }

  private String ofKey(String key) {
    return runs.runs()
        .awaitRun(
            AwaitRunRequest.newBuilder()
                .setWorkspace(runs.workspace())
                .setIdempotencyKey(key)
                .setWait(Caller.millis(0))
                .build())
        .getRun()
        .getId();
  }

  private List<String> received(String run) {
    return runs.events(run).stream()
        .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
        .map(event -> event.getSignalReceived().getSignal().getSignalId())
        .toList();
  }

  @Test
  @Tag("D10")
  @DisplayName(
      "given a relay that is killed between the answer and the removal, then there is one run")
  void killed() throws SQLException {
    var ticket = outbox.post("start_run", "'order'");
    var _ = outbox.post("start_run", "'order', idempotency_key => 'k', token => 't'");
    relayIsKilled();
    var started = runs.list().stream().map(Run::getId).toList();
    assertThat(started).as("the server has answered").hasSize(2);
    assertThat(outbox.posted()).as("the intents are not removed").isEqualTo(2);
    var _ = outbox.relay(deployment.target());
    outbox.awaitSent();
    assertThat(runs.list().stream().map(Run::getId)).containsExactlyElementsOf(started);
    assertThat(started).containsExactlyInAnyOrder(ofKey(ticket), ofKey("k"));
  }

  @Test
  @DisplayName(
      "given a transaction with a span, then its run has it, and what is no span is ignored")
  void traced() throws SQLException {
    try (var connection = outbox.begin()) {
      SqlCaller.trace(connection, SqlCaller.SPAN);
      var _ = outbox.post(connection, "start_run", "'order', idempotency_key => 'traced'");
      SqlCaller.trace(connection, SqlCaller.SPAN.replaceAll("[1-9a-f]", "0"));
      var _ = outbox.post(connection, "start_run", "'order', idempotency_key => 'untraced'");
      connection.commit();
    }
    var _ = outbox.relay(deployment.target());
    outbox.awaitSent();
    assertThat(runs.get(ofKey("traced")).getTraceparent()).isEqualTo(SqlCaller.SPAN);
    assertThat(runs.get(ofKey("untraced")).getTraceparent()).isEmpty();
  }

  @Test
  @DisplayName(
      "given starts that queue for a token, then the second waits, and the third is too much")
  void queue() throws SQLException {
    var starts = new ArrayList<String>();
    for (var i = 0; i < 3; i++) {
      starts.add(
          outbox.post(
              "start_run", "'order', token => 'q', on_conflict => 'queue', queue_limit => 1"));
    }
    var _ = outbox.relay(deployment.target());
    outbox.awaitSent();
    assertThat(types(starts.get(0))).doesNotContain(RunEventType.RUN_EVENT_TYPE_BLOCKED);
    assertThat(types(starts.get(1))).contains(RunEventType.RUN_EVENT_TYPE_BLOCKED);
    assertThat(runs.list()).as("none for the third start").hasSize(2);
  }

  private List<RunEventType> types(String start) {
    return runs.events(ofKey(start)).stream().map(RunEvent::getType).toList();
  }

  private void relayIsKilled() {
    var arguments = new String[] {deployment.target(), runs.workspace(), outbox.database().url()};
    try (var relay = HapaxProcess.startMain(OutboxRelayMain.class.getName(), Map.of(), arguments)) {
      assertThat(relay.awaitExit()).isEqualTo(OutboxRelayMain.KILLED);
    }
  }

  @Test
  @Tag("D10")
  @DisplayName(
      "given a relay that is killed after a signal, then the next owner of the token does not get it")
  void killedAfterSignal() throws SQLException {
    var hook = StartRunRequest.Hook.newBuilder().setToken("t");
    var owner = runs.send(runs.start("approval").addHooks(hook)).getRun().getId();
    var signal = outbox.post("signal_hook", "'t', 'other'");
    var start = outbox.post("start_run", "'approval', token => 't', on_conflict => 'supersede'");
    relayIsKilled();
    assertThat(outbox.posted()).isEqualTo(2);
    var _ = outbox.relay(deployment.target());
    outbox.awaitSent();
    assertThat(runs.get(owner).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(received(owner)).containsExactly(signal);
    assertThat(received(ofKey(start))).isEmpty();
  }

  @Test
  @Tag("D10")
  @DisplayName(
      "given 1,000 transactions, a third rolled back, and two relays that lose their connections,"
          + " then the runs are those that were committed")
  void manyTransactions() throws Exception {
    var committed = new AtomicInteger();
    try (var clients = Executors.newFixedThreadPool(CLIENTS + 1);
        var late = outbox.begin()) {
      var first = outbox.post(late, "start_run", "'order', token => 'late'");
      var before = outbox.relay(deployment.target());
      var _ = outbox.relay(deployment.target());
      var posting = new ArrayList<Callable<Boolean>>();
      for (var i = 0; i < CLIENTS; i++) {
        var seed = i;
        posting.add(() -> posts(seed, committed));
      }
      posting.add(
          () -> {
            Condition.await("some are posted", PATIENCE, () -> committed.get() > 100);
            before.close();
            Condition.await("the relay that sends is cut off", () -> cutOff() > 0);
            var _ = outbox.relay(deployment.target());
            return true;
          });
      for (var each : clients.invokeAll(posting)) {
        assertThat(each.get()).isTrue();
      }
      Condition.await("all are sent", PATIENCE, () -> outbox.posted() == 0);
      assertThat(count()).isEqualTo(committed.get());
      late.commit();
      outbox.awaitSent();
      assertThat(count()).isEqualTo(committed.get() + 1);
      assertThat(runs.list().getFirst().getId()).isEqualTo(ofKey(first));
    }
    assertThat(committed.get()).isBetween(TRANSACTIONS / 2, TRANSACTIONS * 4 / 5);
    assertThat(outbox.database().query("SELECT count(*) FROM hapax_outbox.failed()"))
        .isEqualTo("0");
  }

  /** Cuts the connection of the relay that sends at the moment, if one does. */
  private int cutOff() {
    return Integer.parseInt(
        outbox
            .database()
            .query(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_locks l JOIN pg_database d"
                    + " ON d.oid = l.database AND d.datname = current_database()"
                    + " WHERE locktype = 'advisory'"));
  }

  private boolean posts(int seed, AtomicInteger committed) throws SQLException {
    var random = new Random(seed);
    try (var connection = outbox.begin()) {
      for (var i = 0; i < TRANSACTIONS / CLIENTS; i++) {
        var _ = outbox.post(connection, "start_run", "'order'");
        if (random.nextInt(3) == 0) {
          connection.rollback();
        } else {
          connection.commit();
          committed.incrementAndGet();
        }
      }
    }
    return true;
  }

  private int count() {
    return Integer.parseInt(
        deployment
            .database()
            .query(
                "SELECT count(*) FROM hapax.run WHERE workspace = '%s'"
                    .formatted(runs.workspace())));
  }

  @Test
  @Tag("D10")
  @DisplayName(
      "given a start and signals that are posted one after another, then they arrive in that order")
  void ordered() throws SQLException {
    var sent = new ArrayList<String>();
    try (var connection = outbox.begin()) {
      // in one transaction: the signals name a token that has no owner yet
      var _ = outbox.post(connection, "start_run", "'approval', token => 't'");
      for (var i = 0; i < 10; i++) {
        sent.add(outbox.post(connection, "signal_hook", "'t', 'other'"));
      }
      connection.commit();
    }
    var _ = outbox.relay(deployment.target());
    var _ = outbox.relay(deployment.target());
    outbox.awaitSent();
    var run = runs.list().getFirst().getId();
    try (var one = outbox.database().connect();
        var other = outbox.database().connect()) {
      for (var i = 0; i < 10; i++) {
        sent.add(
            outbox.post(i % 2 == 0 ? one : other, "signal_run", "'%s', 'other'".formatted(run)));
      }
    }
    outbox.awaitSent();
    assertThat(received(run)).containsExactlyElementsOf(sent);
    var _ = outbox.post("cancel_run", "'%s', 'enough'".formatted(run));
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(runs.events(run)).extracting(RunEvent::getActor).contains("sql:" + user());
  }

  private String user() {
    return outbox.database().query("SELECT session_user");
  }

  @Test
  @DisplayName(
      "given an intent that Hapax rejects, then it is kept with the error, and can be retried")
  void failed() throws SQLException {
    var unknown = outbox.post("start_run", "'later', token => 't', labels => '{\"a\": \"b\"}'");
    var other = outbox.post("signal_hook", "'t', 'approval'");
    var _ = outbox.post("start_run", "'approval', token => 'u'");
    var _ = outbox.relay(deployment.target());
    outbox.awaitSent();
    assertThat(
            outbox
                .database()
                .query(
                    "SELECT string_agg(ticket || ' ' || verb || ' ' || reason, ',')"
                        + " FROM hapax_outbox.failed()"))
        .isEqualTo(
            unknown + " start_run DEFINITION_NOT_FOUND," + other + " signal_hook HOOK_NOT_FOUND");
    runs.define("later", RunCaller.signal("approved", "approval"));
    outbox
        .database()
        .execute("SELECT hapax_outbox.retry(ticket) FROM hapax_outbox.failed() ORDER BY posted_at");
    outbox.awaitSent();
    var started = runs.list().stream().filter(run -> run.getDefinition().equals("later")).toList();
    assertThat(started).hasSize(1);
    assertThat(started.getFirst().getLabelsMap()).containsEntry("a", "b");
    assertThat(runs.awaitEnd(started.getFirst().getId()).getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    var again = outbox.post("signal_hook", "'t', 'approval'");
    outbox.awaitSent();
    assertThat(outbox.database().query("SELECT hapax_outbox.discard('%s')".formatted(again)))
        .isEqualTo("t");
    assertThat(outbox.database().query("SELECT count(*) FROM hapax_outbox.intent")).isEqualTo("0");
  }

  @Test
  @DisplayName("given no server for a while, then the relay continues when there is one")
  void noServer() throws SQLException {
    try (var proxy = new CuttingProxy("127.0.0.1:1")) {
      var _ = outbox.post("start_run", "'order'");
      var relay = outbox.relay(proxy.target());
      Condition.await(
          "the relay tries to send",
          () ->
              outbox
                  .database()
                  .query(
                      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                          + " AND state = 'idle in transaction'")
                  .equals("1"));
      proxy.forwardTo(deployment.target());
      outbox.awaitSent();
      assertThat(runs.list()).hasSize(1);
      proxy.cutNextAnswer();
      var _ = outbox.post("start_run", "'order'");
      relay.nudge();
      outbox.awaitSent();
      assertThat(proxy.cuts()).isOne();
      assertThat(runs.list()).hasSize(2);
    }
  }

  @Test
  @DisplayName(
      "given a run with a full inbox, then its signal is deferred, and others and a cancellation"
          + " are sent")
  void fullInbox() throws SQLException {
    runs.define("busy", RunCaller.task("charge"));
    var run = runs.started("busy");
    for (var i = 0; i < 1_000; i++) {
      var _ = runs.signal(run, "s" + i, "note");
    }
    var _ = outbox.post("signal_run", "'%s', 'note'".formatted(run));
    var _ = outbox.relay(deployment.target());
    Condition.await(
        "it is deferred",
        () ->
            outbox
                .database()
                .query("SELECT count(*) FROM hapax_outbox.intent WHERE tries > 0")
                .equals("1"));
    var _ = outbox.post("cancel_run", "'%s'".formatted(run));
    var _ = outbox.post("start_run", "'order'");
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    Condition.await("the signal has failed", () -> outbox.posted() == 0);
    assertThat(runs.list()).hasSize(2);
  }

  @Test
  @DisplayName(
      "given sessions with standard_conforming_strings off, when they install the outbox and post,"
          + " then all is posted [security-S6]")
  void callerSettings() throws SQLException {
    try (var connection = outbox.database().connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "DROP SCHEMA hapax_outbox CASCADE; SET standard_conforming_strings = off; "
              + OutboxRelay.script());
      var _ =
          outbox.post(connection, "start_run", "'order', token => 't', labels => '{\"a\": \"b\"}'");
      var _ = outbox.post(connection, "signal_run", "'run_01h455vb4pex5vsknk084sn02q', 'paid'");
      var _ = outbox.post(connection, "signal_hook", "'t', 'paid', signal_id => 's'");
      var _ = outbox.post(connection, "cancel_run", "'run_01h455vb4pex5vsknk084sn02q', 'late'");
    }
    assertThat(outbox.posted()).isEqualTo(4);
  }

  @Test
  @DisplayName(
      "given the two schemas, then their functions have the same arguments and rules [security-S5]")
  void sameFunctions() {
    var functions =
        "SELECT string_agg(proname || '(' || pg_get_function_arguments(oid) || ')', E'\\n'"
            + " ORDER BY proname) FROM pg_proc WHERE pronamespace = '%s'::regnamespace"
            + " AND proname IN ('start_run', 'signal_run', 'signal_hook', 'cancel_run')";
    assertThat(outbox.database().query(functions.formatted("hapax_outbox")))
        .isEqualTo(deployment.database().query(functions.formatted("hapax")))
        .hasLineCount(4);
    var rejected =
        List.of(
            "start_run ''",
            "start_run 'order', token => E'a\\nb'",
            "start_run 'order', on_conflict => 'hope'",
            "start_run 'order', on_conflict => NULL",
            "start_run 'order', on_conflict => 'use_existing'",
            "start_run 'order', on_key_mismatch => 'hope'",
            "start_run 'order', on_key_mismatch => 'restart_failed'",
            "start_run 'order', on_conflict => 'queue'",
            "start_run 'order', token => 't', queue_limit => 1",
            "start_run 'order', token => 't', on_conflict => 'queue', queue_limit => 0",
            "start_run 'order', token => 't', on_conflict => 'queue', queue_limit => 10001",
            "start_run 'order', token => 't', on_conflict => 'signal_existing'",
            "start_run 'order', expected_owner => 'run_1'",
            "start_run 'order', token => 't', on_conflict => 'supersede', expected_owner => 'run_1'",
            "start_run 'order', key_retention => '366 days'",
            "start_run 'order', key_retention => '1 year'",
            "start_run 'order', key_retention => '12 months 5 days'",
            "start_run 'order', token_retention => '12 months'",
            "start_run 'order', key_retention => '0'",
            "start_run 'order', token_retention => '-1 days'",
            "start_run 'order', start_at => 'infinity'",
            "start_run 'order', labels => '[1]'",
            "start_run 'order', labels => '{\"a\": 1}'",
            "start_run 'order', labels => '{\"\": \"b\"}'",
            "start_run repeat('x', 256)",
            "start_run 'order', to_jsonb(repeat('x', 262144))",
            "start_run 'order', (repeat('[', 65) || repeat(']', 65))::jsonb",
            "signal_run '', 'x'",
            "signal_run 'run_1', 'x'",
            "signal_hook '', 'x'",
            "cancel_run NULL");
    try (var sql = SqlCaller.to(deployment.database(), runs)) {
      for (var each : rejected) {
        var call = each.split(" ", 2);
        assertThat(error(() -> outbox.post(call[0], call[1])))
            .as(each)
            .startsWith("HX001 ")
            .isEqualTo(error(() -> sql.post(call[0], call[1])));
      }
    }
    assertThat(error(() -> outbox.database().query("SELECT hapax_outbox.start_run('A', 'x')")))
        .contains("HX001")
        .contains("workspace");
  }

  private static String error(Callable<?> call) {
    try {
      return "no error: " + call.call();
    } catch (SQLException e) {
      return e.getSQLState()
          + " "
          + Objects.requireNonNullElse(e.getMessage(), "").lines().findFirst().orElse("");
    } catch (Exception e) {
      return e.getCause() instanceof SQLException cause
          ? cause.getSQLState() + " " + cause.getMessage()
          : e.toString();
    }
  }

  @Test
  @DisplayName("given a role with the schema only, then it posts, and reads no intent")
  void grants() throws SQLException {
    var role = String.format(Locale.ROOT, "outbox_%d", ProcessHandle.current().pid());
    outbox
        .database()
        .execute("CREATE ROLE %1$s; GRANT USAGE ON SCHEMA hapax_outbox TO %1$s".formatted(role));
    try (var connection = outbox.begin()) {
      as(connection, role);
      var ticket = outbox.post(connection, "start_run", "'order'");
      assertThat(ticket).startsWith("outbox_");
      as(connection, "NONE");
      try (var select =
          connection.prepareStatement("SELECT role FROM hapax_outbox.intent WHERE ticket = ?")) {
        select.setString(1, ticket);
        var row = select.executeQuery();
        assertThat(row.next()).isTrue();
        assertThat(row.getString(1)).as("the role in force, not the login").isEqualTo(role);
      }
      for (var query :
          List.of(
              "TABLE hapax_outbox.intent",
              "SELECT * FROM hapax_outbox.failed()",
              "SELECT hapax_outbox.discard('x')")) {
        connection.commit();
        as(connection, role);
        assertThatThrownBy(() -> connection.createStatement().execute(query))
            .as(query)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        connection.rollback();
      }
    } finally {
      outbox.database().execute("DROP OWNED BY %1$s; DROP ROLE %1$s".formatted(role));
    }
  }

  private static void as(Connection connection, String role) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SET LOCAL ROLE " + role);
    }
  }
}
