package dev.hapax.bootstrap.acceptance;

import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.NudgeIntentsRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * An application that posts intents in its own transactions, as a database role with a grant.
 *
 * @param administrator the URL of the database at this moment, for a user that may do everything
 * @param role which can log in
 */
record SqlCaller(Supplier<String> administrator, RunCaller runs, String role)
    implements AutoCloseable {
  static final String SPAN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final int PATIENCE_SECONDS = 60;
  private static final String PASSWORD = "test";

  /** A role of its own, which may post everything in the workspace of the caller. */
  static SqlCaller to(TestDatabase database, RunCaller runs) {
    return to(database::url, runs);
  }

  /** A role of its own on a database whose URL changes with each start. */
  static SqlCaller to(Supplier<String> administrator, RunCaller runs) {
    var sql = without(administrator, runs);
    sql.grant(
        "start_run,signal_run,signal_hook,cancel_run,complete_action,complete_task,complete_operation");
    return sql;
  }

  /** A role of its own, without a grant. */
  static SqlCaller without(TestDatabase database, RunCaller runs) {
    return without(database::url, runs);
  }

  private static SqlCaller without(Supplier<String> administrator, RunCaller runs) {
    var role =
        String.format(
            Locale.ROOT, "shop_%d_%d", ProcessHandle.current().pid(), NUMBER.incrementAndGet());
    var sql = new SqlCaller(administrator, runs, role);
    sql.administer("CREATE ROLE %s LOGIN PASSWORD '%s'".formatted(role, PASSWORD));
    return sql;
  }

  void grant(String verbs) {
    administer(
        """
        INSERT INTO hapax.sql_grant VALUES ('%1$s', '%2$s', '{%3$s}', now(), 'test', '%1$s'::regrole);
        SELECT hapax.apply_sql_grants()"""
            .formatted(role, runs.workspace(), verbs));
  }

  /** Executes statements as the administrator. */
  void administer(String statements) {
    try (var connection = DriverManager.getConnection(administrator.get());
        var statement = connection.createStatement()) {
      statement.execute(statements);
    } catch (SQLException e) {
      throw new IllegalStateException(statements, e);
    }
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** The database, for this role. */
  PGSimpleDataSource dataSource() {
    var source = new PGSimpleDataSource();
    source.setURL(url());
    return source;
  }

  /** The JDBC URL of the database, for this role. */
  String url() {
    var url = administrator.get().replaceAll("([?&])(user|password)=[^&]*", "$1");
    return "%s%cuser=%s&password=%s".formatted(url, url.contains("?") ? '&' : '?', role, PASSWORD);
  }

  /** Opens a connection whose transactions end with commit or rollback. */
  Connection begin() throws SQLException {
    var connection = connect();
    connection.setAutoCommit(false);
    return connection;
  }

  /** Calls a function, such as {@code start_run}, with arguments behind the workspace. */
  String post(Connection connection, String function, String arguments) throws SQLException {
    var sql = "SELECT hapax.%s('%s', %s)".formatted(function, runs.workspace(), arguments);
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Names the span of this transaction. */
  static void trace(Connection connection, String span) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SET LOCAL hapax.traceparent = '" + span + "'");
    }
  }

  /** Posts an intent in a transaction of its own. */
  String post(String function, String arguments) throws SQLException {
    try (var connection = connect()) {
      return post(connection, function, arguments);
    }
  }

  /** Completes what a claim holds by this function, with more arguments behind those of it. */
  String complete(Connection connection, String function, Claim claim, String... more)
      throws SQLException {
    var arguments = new ArrayList<String>();
    arguments.add("'%s'".formatted(claim.getId()));
    arguments.add(String.valueOf(claim.getFence()));
    arguments.addAll(List.of(more));
    return post(connection, function, String.join(", ", arguments));
  }

  IntentServiceGrpc.IntentServiceBlockingStub intents() {
    return IntentServiceGrpc.newBlockingStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits until the intent is taken. */
  Intent await(String ticket) {
    var intent = await(ticket, PATIENCE_SECONDS / 2);
    if (!intent.hasTakenAt()) {
      throw new AssertionError("not taken: " + intent);
    }
    return intent;
  }

  Intent await(String ticket, int seconds) {
    return intents()
        .awaitIntent(
            AwaitIntentRequest.newBuilder()
                .setWorkspace(runs.workspace())
                .setTicket(ticket)
                .setWait(Caller.seconds(seconds))
                .build())
        .getIntent();
  }

  void nudge() {
    var _ =
        intents()
            .nudgeIntents(NudgeIntentsRequest.newBuilder().setWorkspace(runs.workspace()).build());
  }

  List<Intent> list(IntentState state) {
    return intents()
        .listIntents(
            ListIntentsRequest.newBuilder()
                .setWorkspace(runs.workspace())
                .setState(state)
                .setPageSize(500)
                .build())
        .getIntentsList();
  }

  @Override
  public void close() {
    administer(
        """
        DELETE FROM hapax.sql_grant WHERE role = '%1$s';
        SELECT hapax.apply_sql_grants();
        DROP OWNED BY %1$s;
        DROP ROLE %1$s"""
            .formatted(role));
  }
}
