package dev.hapax.postgres.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.ledger.Counter;
import dev.hapax.testkit.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** Ledgers of counters on one database, as nodes of their own. */
final class TestLedgers implements AutoCloseable {
  static final Workspace WORKSPACE = new Workspace("faults");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private final TestDatabase database = TestDatabase.create();
  private final List<Node> nodes = new ArrayList<>();

  /** A ledger with all it needs. */
  record Node(HikariDataSource pool, CommitNotifier signal, PostgresLedger ledger)
      implements AutoCloseable {
    @Override
    public void close() {
      ledger.close();
      signal.close();
      pool.close();
    }
  }

  TestLedgers() {
    Migrations.migrate(database.dataSource());
    CounterTable.ALL.forEach(table -> database.execute(table.schema()));
  }

  TestDatabase database() {
    return database;
  }

  /** A ledger of counters; closed with this. */
  PostgresLedger node(PostgresLedger.Settings settings) {
    return node(settings, List.copyOf(CounterTable.ALL));
  }

  PostgresLedger node(PostgresLedger.Settings settings, List<RecordTable<?, ?>> tables) {
    var node = open(database.dataSource(), settings, tables, pool -> pool);
    nodes.add(node);
    return node.ledger();
  }

  /** A ledger of counters that reaches the database this way. */
  Node open(DataSource way, PostgresLedger.Settings settings) {
    return open(way, settings, List.copyOf(CounterTable.ALL), pool -> pool);
  }

  Node open(
      DataSource way,
      PostgresLedger.Settings settings,
      List<RecordTable<?, ?>> tables,
      UnaryOperator<DataSource> around) {
    var address = new HikariConfig();
    address.setDataSource(way);
    var pool = LedgerConnections.pool(address, settings.committers(), SessionRoles.LOGIN);
    var signal = new CommitNotifier(database.dataSource(), database.dataSource());
    return new Node(
        pool,
        signal,
        new PostgresLedger(
            around.apply(pool),
            tables,
            signal,
            new DatabaseFence(0, 1),
            new DatabaseOutage(way),
            new PendingIntents(),
            settings));
  }

  static PostgresLedger.Settings oneCommitter() {
    return PostgresLedger.Settings.DEFAULT.withCommitters(1);
  }

  static Counter.Key key(String name) {
    return new Counter.Key(WORKSPACE, name);
  }

  long value(Counter.Key key) {
    return Long.parseLong(
        database.query(
            "SELECT coalesce((SELECT value FROM hapax.counter WHERE (workspace, name) = ('%s', '%s')), 0)"
                .formatted(key.workspace().name(), key.name())));
  }

  /** By default the ledger gives up a lock before the database looks for a deadlock. */
  void detectDeadlocksAtOnce() {
    database.set("deadlock_timeout", "20");
  }

  /** Whether one of all sessions is like this in {@code pg_stat_activity}. */
  boolean hasSession(String condition) {
    return "t"
        .equals(
            database.query(
                "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND pid <> pg_backend_pid() AND "
                    + condition));
  }

  /** The deadlocks so far. Closes all nodes first, since sessions report theirs when they end. */
  String deadlocks() {
    nodes.forEach(Node::close);
    nodes.clear();
    await("no session is left", () -> !hasSession("query NOT LIKE 'LISTEN%'"));
    return database.query(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }

  static <O> O await(CompletableFuture<O> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** Waits for the condition, 30 seconds at most. */
  static void await(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("timed out: " + what);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Makes one batch of what is submitted meanwhile, on a ledger of one committer. */
  static void together(PostgresLedger ledger, Runnable submitted) {
    var begun = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var gate =
        ledger.submit(
            new Counter.On<>(
                List.of(key("gate")),
                Command.Urgency.START,
                (_, _) -> {
                  begun.countDown();
                  pass(goOn);
                  return true;
                }));
    pass(begun);
    submitted.run();
    goOn.countDown();
    await(gate);
  }

  private static void pass(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("no ledger was opened");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    database.close();
  }
}
