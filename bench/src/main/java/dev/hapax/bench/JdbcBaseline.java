package dev.hapax.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** The baseline of a service without Hapax: prepared statements, one transaction each. */
public final class JdbcBaseline implements AutoCloseable {
  private static final int PAIR_THREADS = 64;
  private static final int INSERT_THREADS = 32;

  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS hapax.bench_order (
        id uuid PRIMARY KEY, input text NOT NULL, created_at timestamptz NOT NULL)
      """;

  private static final String DROP = "DROP TABLE IF EXISTS hapax.bench_order";

  private static final String INSERT =
      """
      INSERT INTO hapax.bench_order (id, input, created_at)
      VALUES (?, ?, clock_timestamp()) ON CONFLICT DO NOTHING
      """;

  private static final String BEGIN =
      """
      INSERT INTO hapax.operation (workspace, id, state, attempt, nonce, fence, started_at, expires_at,
          until, fingerprint, account_changing, hold, account, operation, request_id, attempt_id)
      VALUES ('default', ?, 1, 1, ?, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
          clock_timestamp(), clock_timestamp() + interval '24 hours',
          clock_timestamp() + interval '60 seconds', ?, false, false, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """;

  private static final String COMPLETE =
      """
      WITH gone AS (DELETE FROM hapax.operation WHERE workspace = 'default' AND id = ? AND nonce = ?
          RETURNING *)
      INSERT INTO hapax.operation_result (workspace, id, fence, nonce, purge_on, state, attempt,
          started_at, ended_at, expires_at, fingerprint, account_changing, account, operation,
          request_id, json)
      SELECT workspace, id, fence, nonce, (expires_at AT TIME ZONE 'UTC')::date, 4, attempt, started_at,
          clock_timestamp(), expires_at, fingerprint, account_changing, account, operation, request_id, ?
      FROM gone
      """;

  private final HikariDataSource pool;

  private JdbcBaseline(JdbcTarget database, int connections) throws SQLException {
    var config = new HikariConfig();
    config.setJdbcUrl(database.url().value());
    database.user().ifPresent(config::setUsername);
    database.password().current().ifPresent(config::setPassword);
    config.setMaximumPoolSize(connections);
    this.pool = new HikariDataSource(config);
  }

  /** Begins and completes operations in the tables, from 64 threads over a pool of 16. */
  static JdbcBaseline ofPairs(JdbcTarget database) throws SQLException {
    return new JdbcBaseline(database, 16);
  }

  /** Inserts idempotently into a table with three columns, from 32 threads. */
  public static JdbcBaseline ofInserts(JdbcTarget database) throws SQLException {
    var baseline = new JdbcBaseline(database, INSERT_THREADS);
    try {
      baseline.execute(TABLE);
      return baseline;
    } catch (SQLException e) {
      baseline.pool.close();
      throw e;
    }
  }

  private interface Work {
    void once() throws SQLException;
  }

  /** Returns pairs of begin and complete per second. */
  double measurePairs(Duration time) throws InterruptedException {
    return rate(PAIR_THREADS, time, this::pair);
  }

  /** Returns inserts per second. */
  double measureInserts(Duration time) throws InterruptedException {
    return rate(INSERT_THREADS, time, this::insert);
  }

  private static double rate(int number, Duration time, Work work) throws InterruptedException {
    var done = new LongAdder();
    var over = new AtomicBoolean();
    var threads = new ArrayList<Thread>();
    var begin = System.nanoTime();
    for (var i = 0; i < number; i++) {
      threads.add(Thread.ofPlatform().start(() -> repeat(work, done, over)));
    }
    // the time is what is measured
    Thread.sleep(time);
    var count = done.sum();
    var nanos = System.nanoTime() - begin;
    over.set(true);
    for (var thread : threads) {
      thread.join();
    }
    return count * 1e9 / nanos;
  }

  private static void repeat(Work work, LongAdder done, AtomicBoolean over) {
    while (!over.get()) {
      try {
        work.once();
      } catch (SQLException e) {
        throw new IllegalStateException("the baseline failed", e);
      }
      done.increment();
    }
  }

  private static UUID random() {
    var random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong());
  }

  private void pair() throws SQLException {
    var id = random();
    var nonce = ThreadLocalRandom.current().nextLong();
    begin(id, nonce);
    complete(id, nonce);
  }

  /** Inserts one row in a transaction of its own. */
  public void insert() throws SQLException {
    try (Connection connection = pool.getConnection();
        var insert = connection.prepareStatement(INSERT)) {
      insert.setObject(1, random());
      insert.setString(2, OperationLoad.RESULT);
      insert.executeUpdate();
    }
  }

  private void begin(UUID id, long nonce) throws SQLException {
    try (Connection connection = pool.getConnection();
        var insert = connection.prepareStatement(BEGIN)) {
      insert.setObject(1, id);
      insert.setLong(2, nonce);
      insert.setObject(3, id);
      insert.setString(4, OperationLoad.ACCOUNT);
      insert.setString(5, OperationLoad.OPERATION);
      insert.setString(6, OperationLoad.newKey());
      insert.setObject(7, id);
      insert.executeUpdate();
    }
  }

  private void complete(UUID id, long nonce) throws SQLException {
    try (Connection connection = pool.getConnection();
        var finish = connection.prepareStatement(COMPLETE)) {
      finish.setObject(1, id);
      finish.setLong(2, nonce);
      finish.setString(3, OperationLoad.RESULT);
      finish.executeUpdate();
    }
  }

  private void execute(String sql) throws SQLException {
    try (var connection = pool.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    try (pool) {
      execute(DROP);
    }
  }
}
