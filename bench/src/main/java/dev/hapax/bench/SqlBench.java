package dev.hapax.bench;

import dev.hapax.postgres.schema.Migrations;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.NudgeIntentsRequest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * {@code hapax bench sql}: callers that post nothing with and without a grant, intents beside plain
 * inserts and beside StartRun, and completions in a transaction beside those by a call.
 */
record SqlBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;

  /** Connections that post, as of a small application. */
  private static final int CONNECTIONS = 8;

  private static final int BACKLOG = 10_000;

  /** Enough that no action waits for the one before. */
  private static final int ENTITIES = 10_000;

  private static final String DEFINITION = "sql";

  /** As large as a row of the inbox, with as many indexes. */
  private static final String PLAIN_TABLE =
      """
      CREATE TABLE IF NOT EXISTS hapax.bench_plain (
        workspace varchar(63) NOT NULL, id uuid NOT NULL, number bigint NOT NULL, at timestamptz NOT NULL,
        name varchar(255) NOT NULL, role varchar(63) NOT NULL, input text NOT NULL, PRIMARY KEY (workspace, id));
      CREATE INDEX IF NOT EXISTS bench_plain_number ON hapax.bench_plain (number)
      """;

  static final String INSERT =
      """
      INSERT INTO hapax.bench_plain VALUES
        ('default', gen_random_uuid(), txid_current(), clock_timestamp(), 'sql', 'postgres', ?)
      """;

  private static final String POST = "SELECT hapax.start_run('', 'sql', ?::jsonb)";

  void run() throws Exception {
    Migrations.migrate(bench.dataSource());
    execute(PLAIN_TABLE);
    try {
      idle();
      grant();
      post();
      take();
      complete();
    } finally {
      execute("TRUNCATE hapax.inbox; DELETE FROM hapax.sql_grant; DROP TABLE hapax.bench_plain");
    }
  }

  private void grant() throws SQLException {
    revoke();
    execute(
        """
        INSERT INTO hapax.sql_grant
          VALUES (session_user, 'default',
            ARRAY['start_run', 'complete_action', 'complete_operation'], now(), 'bench',
            session_user::regrole)""");
  }

  private void revoke() throws SQLException {
    execute("DELETE FROM hapax.sql_grant");
  }

  /** Measures callers that post nothing: with a grant, the server scans ten times as often. */
  private void idle() throws Exception {
    try (var hapax = bench.serve()) {
      var operations = new OperationLoad(hapax.channel());
      var scan = IntentServiceGrpc.newBlockingStub(hapax.channel());
      var without =
          new Measurement(
              "pairs of operations, without a grant",
              "/s",
              () -> {
                revoke();
                return pairs(operations, scan);
              });
      var with =
          new Measurement(
              "pairs of operations, with a grant",
              "/s",
              () -> {
                grant();
                return pairs(operations, scan);
              });
      var all = List.of(without, with);
      bench.measure(all);
      bench.printTable(all);
      bench.print("%nratio, round by round, its median:");
      bench.printRatio("with a grant to without", with, without, "at least 0.98");
    }
  }

  private double pairs(OperationLoad load, IntentServiceGrpc.IntentServiceBlockingStub scan)
      throws Exception {
    // with a scan the server learns whether a role has a grant
    var _ = scan.nudgeIntents(NudgeIntentsRequest.getDefaultInstance());
    return ClosedLoopLoad.measureRate(IN_FLIGHT, bench.time(), load::pair);
  }

  /** Measures what a caller pays; no server runs. */
  private void post() throws Exception {
    var insert = posting("plain INSERT, 1 connection", INSERT, 1);
    var intent = posting("intent, 1 connection", POST, 1);
    var inserts =
        posting(
            String.format(Locale.ROOT, "plain INSERT, %d connections", CONNECTIONS),
            INSERT,
            CONNECTIONS);
    var intents =
        posting(
            String.format(Locale.ROOT, "intents, %d connections", CONNECTIONS), POST, CONNECTIONS);
    var all = List.of(insert, intent, inserts, intents);
    bench.measure(all);
    bench.printTable(all);
    bench.print("%ntime of an intent to that of an INSERT, round by round, their medians:");
    bench.printRatio("1 connection", insert, intent, "at most 1.3");
    bench.printRatio(
        String.format(Locale.ROOT, "%d connections", CONNECTIONS), inserts, intents, "at most 1.3");
  }

  private Measurement posting(String name, String sql, int connections) {
    return new Measurement(
        name,
        "/s",
        () -> {
          var rate = rate(sql, connections) / (bench.time().toNanos() / 1e9);
          execute("TRUNCATE hapax.inbox, hapax.bench_plain");
          return rate;
        });
  }

  /** Measures starts through intents: until a server has taken all that was posted. */
  private void take() throws Exception {
    try (var hapax = bench.serve()) {
      var starts = RunLoad.unworked(hapax.channel(), DEFINITION, 1);
      var calls =
          new Measurement(
              "StartRun",
              "/s",
              () -> ClosedLoopLoad.measureRate(IN_FLIGHT, bench.time(), starts::start));
      var intents = new Measurement("starts through intents", "/s", this::taken);
      var backlog = new Measurement("starts from a backlog of intents", "/s", this::backlog);
      var all = List.of(calls, intents, backlog);
      bench.measure(all);
      bench.printTable(all);
      bench.print("%nratios, round by round, their medians:");
      bench.printRatio("through intents to StartRun", intents, calls, "");
      bench.printRatio("from a backlog to StartRun", backlog, calls, "at least 0.7");
    }
  }

  /** Measures an application that writes a row and completes its work: in one commit, or in two. */
  private void complete() throws Exception {
    try (var hapax = bench.serve()) {
      var load = new CompletionLoad(bench, hapax.channel(), ENTITIES);
      var operationCall = completing("own commit, CompleteOperation", load, load::operationByCall);
      var operation =
          completing("operation in the transaction", load, load::operationInTransaction);
      var actionCall = completing("own commit, CompleteAction", load, load::actionByCall);
      var action = completing("action in the transaction", load, load::actionInTransaction);
      var all = List.of(operationCall, operation, actionCall, action);
      bench.measure(all);
      bench.printTable(all);
      bench.print("%nbegin, row and completion: in the transaction to by a call, their medians:");
      bench.printRatio("operation", operation, operationCall, "at least 0.6");
      bench.printRatio("action", action, actionCall, "at least 0.6");
    }
  }

  private static Measurement completing(
      String name, CompletionLoad load, CompletionLoad.Turn turn) {
    return new Measurement(name, "/s", () -> load.rate(CONNECTIONS, turn));
  }

  private double taken() throws Exception {
    var begin = System.nanoTime();
    var posted = rate(POST, CONNECTIONS);
    awaitTaken();
    return posted * 1e9 / (System.nanoTime() - begin);
  }

  /** Posts many in one transaction, and measures how fast they are taken. */
  private double backlog() throws Exception {
    execute(
        String.format(
            Locale.ROOT,
            "SELECT count(hapax.start_run('', 'sql')) FROM generate_series(1, %d)",
            BACKLOG));
    var begin = System.nanoTime();
    awaitTaken();
    return BACKLOG * 1e9 / (System.nanoTime() - begin);
  }

  private void awaitTaken() throws Exception {
    while (bench.queryNumber("SELECT count(*) FROM (SELECT FROM hapax.inbox LIMIT 1) i") > 0) {
      Thread.sleep(Duration.ofMillis(5));
    }
  }

  /** Executes a statement in transactions of its own; returns how many. */
  private long rate(String sql, int connections) throws Exception {
    var done = new LongAdder();
    var over = new AtomicBoolean();
    var threads = new ArrayList<Thread>();
    for (var i = 0; i < connections; i++) {
      threads.add(Thread.ofPlatform().start(() -> repeat(sql, done, over)));
    }
    // the time is what is measured
    Thread.sleep(bench.time());
    over.set(true);
    for (var thread : threads) {
      thread.join();
    }
    return done.sum();
  }

  private void repeat(String sql, LongAdder done, AtomicBoolean over) {
    try (Connection connection = bench.connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      while (!over.get()) {
        statement.setString(1, OperationLoad.RESULT);
        statement.execute();
        done.increment();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("a statement of the bench failed", e);
    }
  }

  private void execute(String sql) throws SQLException {
    try (var connection = bench.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
