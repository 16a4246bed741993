package dev.hapax.bootstrap.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a service does by itself: the same two statements on the same tables, prepared, one
 * transaction each, from 64 threads over a pool of 16.
 */
final class JdbcBaseline implements AutoCloseable {
  private static final int THREADS = 64;
  private static final int POOL = 16;

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

  JdbcBaseline(String url, String user, String password) {
    var config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(POOL);
    this.pool = new HikariDataSource(config);
  }

  /** Pairs a second. */
  double rate(Duration time) throws InterruptedException {
    var done = new LongAdder();
    var over = new AtomicBoolean();
    var threads = new ArrayList<Thread>();
    var begin = System.nanoTime();
    for (var i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().start(() -> run(done, over)));
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

  private void run(LongAdder done, AtomicBoolean over) {
    while (!over.get()) {
      var random = ThreadLocalRandom.current();
      var id = new UUID(random.nextLong(), random.nextLong());
      var nonce = random.nextLong();
      try {
        begin(id, nonce);
        complete(id, nonce);
      } catch (SQLException e) {
        throw new IllegalStateException("the baseline failed", e);
      }
      done.increment();
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

  @Override
  public void close() {
    pool.close();
  }
}
