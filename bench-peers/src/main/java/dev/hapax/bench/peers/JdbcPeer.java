package dev.hapax.bench.peers;

import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.bench.JdbcBaseline;
import dev.hapax.bench.OperationLoad;
import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Map;
import java.util.UUID;

/** The baseline that a team writes by hand: prepared statements, each in its own commit. */
final class JdbcPeer implements Peer.Workloads {
  private static final int CONNECTIONS = 32;
  private static final int BATCH = 50;

  private static final String TABLES =
      """
      CREATE TABLE IF NOT EXISTS bench_key (
        key uuid PRIMARY KEY, fingerprint bytea NOT NULL, begun_at timestamptz NOT NULL,
        ended_at timestamptz, result text);
      CREATE TABLE IF NOT EXISTS bench_job (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, input text NOT NULL,
        state smallint NOT NULL, taken_at timestamptz);
      CREATE INDEX IF NOT EXISTS bench_job_ready ON bench_job (id) WHERE state = 0;
      """;

  private static final String BEGIN =
      """
      INSERT INTO bench_key (key, fingerprint, begun_at) VALUES (?, ?, clock_timestamp())
      ON CONFLICT DO NOTHING
      """;

  private static final String COMPLETE =
      "UPDATE bench_key SET ended_at = clock_timestamp(), result = ? WHERE key = ? AND ended_at IS NULL";

  private static final String ENQUEUE =
      "INSERT INTO bench_job (input, state) SELECT ?, 0 FROM generate_series(1, ?)";

  private static final String TAKE =
      """
      UPDATE bench_job SET state = 1, taken_at = clock_timestamp()
      WHERE id = ANY (ARRAY(
        SELECT id FROM bench_job WHERE state = 0 ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED))
      RETURNING id
      """;

  private static final String FINISH = "DELETE FROM bench_job WHERE id = ANY (?) AND state = 1";

  private static final byte[] FINGERPRINT = new byte[32];

  private final JdbcBaseline inserts;
  private final HikariDataSource pool;

  JdbcPeer(JdbcTarget database) throws SQLException {
    this.inserts = JdbcBaseline.ofInserts(database);
    this.pool = BenchPool.open(database, CONNECTIONS);
    BenchPool.execute(pool, TABLES);
  }

  @Override
  public Map<String, Workload> all() {
    return Map.of(
        "insert",
        Workload.blocking(Workload.work(inserts::insert)),
        "pair",
        Workload.blocking(Workload.work(this::pair)),
        "queue",
        Workload.blocking(() -> job(1)),
        "queue-batch",
        Workload.blocking(() -> job(BATCH)));
  }

  private void pair() throws SQLException {
    var key = UUID.fromString(OperationLoad.newKey());
    update(
        BEGIN,
        statement -> {
          statement.setObject(1, key);
          statement.setBytes(2, FINGERPRINT);
        });
    update(
        COMPLETE,
        statement -> {
          statement.setString(1, OperationLoad.RESULT);
          statement.setObject(2, key);
        });
  }

  /** Jobs go in, as many come out, and those are finished: three commits. */
  private int job(int jobs) throws SQLException {
    update(
        ENQUEUE,
        statement -> {
          statement.setString(1, OperationLoad.RESULT);
          statement.setInt(2, jobs);
        });
    try (Connection connection = pool.getConnection()) {
      var taken = take(connection, jobs);
      try (var finish = connection.prepareStatement(FINISH)) {
        finish.setArray(1, connection.createArrayOf("bigint", taken));
        return finish.executeUpdate();
      }
    }
  }

  private static Object[] take(Connection connection, int jobs) throws SQLException {
    try (var take = connection.prepareStatement(TAKE)) {
      take.setInt(1, jobs);
      try (var rows = take.executeQuery()) {
        var taken = new ArrayList<Object>();
        while (rows.next()) {
          taken.add(rows.getLong(1));
        }
        return taken.toArray();
      }
    }
  }

  private interface Parameters {
    void set(PreparedStatement statement) throws SQLException;
  }

  private void update(String sql, Parameters parameters) throws SQLException {
    try (Connection connection = pool.getConnection();
        var statement = connection.prepareStatement(sql)) {
      parameters.set(statement);
      statement.executeUpdate();
    }
  }

  @Override
  public void close() throws SQLException {
    try (pool) {
      inserts.close();
    }
  }
}
