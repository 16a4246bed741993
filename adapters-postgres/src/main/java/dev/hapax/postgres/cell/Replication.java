package dev.hapax.postgres.cell;

import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jooq.Record;
import org.jooq.impl.DSL;

/**
 * Copies the rows of a workspace to another cell while the source goes on to write them, by the
 * logical replication of PostgreSQL: a publication with a condition, a slot and a subscription.
 *
 * @param conninfo how the target reaches the source, in the form of libpq
 */
record Replication(WorkspaceRows source, WorkspaceRows target, String conninfo) {
  private static final int OLDEST_WITH_CONDITIONS = 15;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final String NOT_PERMITTED = "42501";

  /** A row that the target rejects is sent again, so each failure counts. */
  private static final int FAILURES = 3;

  /** Why PostgreSQL cannot replicate from a cell, and what to do; empty = it can. */
  static List<String> problems(DataSource source, DataSource target)
      throws SQLException, IOException {
    var problems = new ArrayList<String>();
    if (version(source) < OLDEST_WITH_CONDITIONS || version(target) < OLDEST_WITH_CONDITIONS) {
      problems.add("PostgreSQL 14 cannot replicate the rows of one workspace");
    }
    if (is(source, CitusSchema.IS_DISTRIBUTED) || is(target, CitusSchema.IS_DISTRIBUTED)) {
      problems.add("the shards of a Citus cluster cannot be replicated row by row");
    }
    var level = text(source, "SHOW wal_level");
    if (!level.equals("logical")) {
      problems.add(
          "the PostgreSQL of the source has wal_level = %s; set it to logical, and restart PostgreSQL"
              .formatted(level));
    }
    return problems;
  }

  /** Requires that the rows can be replicated, before anything is changed. */
  void requirePossible() throws SQLException, IOException {
    var problems = problems(source.database(), target.database());
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems) + "; or use --by copy");
    }
  }

  private static int version(DataSource database) throws SQLException, IOException {
    return Integer.parseInt(text(database, "SHOW server_version_num")) / 10_000;
  }

  private static Record row(DataSource database, String sql) throws SQLException, IOException {
    return TableTransaction.run(database, dsl -> dsl.fetchSingle(sql));
  }

  private static String text(DataSource database, String sql) throws SQLException, IOException {
    return row(database, sql).get(0, String.class);
  }

  private static boolean is(DataSource database, String sql) throws SQLException, IOException {
    return row(database, sql).get(0, Boolean.class);
  }

  /** Without a transaction, in which PostgreSQL refuses some of these statements. */
  private static void execute(DataSource database, String sql) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Names of slots belong to the whole PostgreSQL. */
  private String name() throws SQLException, IOException {
    return text(
        source.database(),
        "SELECT 'hapax_move_' || left(md5(current_database() || '/' || '%s'), 16)"
            .formatted(source.workspace().name()));
  }

  /** Begins to replicate, or goes on; returns once the target has what was there at the start. */
  void run(Consumer<String> progress) throws SQLException, IOException {
    var name = name();
    if (!isComplete(name)) {
      begin(name);
    }
    var first = state(name);
    for (var state = first; !state.isReady(); state = state(name)) {
      progress.accept(state.toString());
      state.requireStored(first);
      LockSupport.parkNanos(PAUSE_NANOS);
      // the source may have got some meanwhile
      ResultDays.createAsIn(source.database(), target.database());
    }
  }

  private void begin(String name) throws SQLException, IOException {
    try {
      drop();
      var _ = target.purge(_ -> {});
      ResultDays.createAsIn(source.database(), target.database());
      execute(source.database(), publication(name));
      execute(
          source.database(),
          "SELECT pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(name));
      execute(
          target.database(),
          "CREATE SUBSCRIPTION %1$s CONNECTION %2$s PUBLICATION %1$s WITH (create_slot = false, slot_name = '%1$s')"
              .formatted(name, DSL.inline(conninfo)));
    } catch (SQLException e) {
      if (NOT_PERMITTED.equals(e.getSQLState())) {
        throw new IOException(
            "the database user may not replicate (%s); docs/scaling.md says how to permit it, or cancel the move and use --by copy"
                .formatted(e.getMessage()),
            e);
      }
      throw e;
    }
  }

  /**
   * How far the target is.
   *
   * @param ready the tables whose rows it has all
   * @param rows that it receives in the tables that it copies now
   * @param failures how often it could not store rows, since the subscription was made
   */
  private record State(long ready, long tables, long rows, long failures) {
    boolean isReady() {
      return ready == tables;
    }

    void requireStored(State first) throws IOException {
      if (failures - first.failures >= FAILURES) {
        throw new IOException(
            "the target cannot store what it receives (%s failures); the log of its PostgreSQL has the reason"
                .formatted(failures));
      }
    }

    @Override
    public String toString() {
      return "%s of %s tables are copied, %s rows of the next ones".formatted(ready, tables, rows);
    }
  }

  private State state(String name) throws SQLException, IOException {
    var row =
        row(
            target.database(),
            """
      SELECT count(*) FILTER (WHERE r.srsubstate = 'r') AS ready, count(*) AS tables,
        (SELECT coalesce(sum(p.tuples_processed), 0) FROM pg_stat_progress_copy p
          WHERE p.datname = current_database()) AS rows,
        (SELECT coalesce(sum(f.apply_error_count + f.sync_error_count), 0) FROM pg_stat_subscription_stats f
          WHERE f.subname = '%1$s') AS failures
      FROM pg_subscription s JOIN pg_subscription_rel r ON r.srsubid = s.oid
      WHERE s.subname = '%1$s' AND s.subdbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())\
      """
                .formatted(name));
    return new State(
        row.get("ready", Long.class),
        row.get("tables", Long.class),
        row.get("rows", Long.class),
        row.get("failures", Long.class));
  }

  private boolean isComplete(String name) throws SQLException, IOException {
    return isUsable(name) && hasSubscription(name);
  }

  private boolean hasSlot(String name) throws SQLException, IOException {
    return is(
        source.database(),
        "SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '%s')".formatted(name));
  }

  /** PostgreSQL gives a slot up if it keeps too much of the log. */
  private boolean isUsable(String name) throws SQLException, IOException {
    return is(
        source.database(),
        "SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '%s' AND wal_status <> 'lost')"
            .formatted(name));
  }

  private boolean hasSubscription(String name) throws SQLException, IOException {
    return is(
        target.database(),
        ("SELECT EXISTS (SELECT FROM pg_subscription WHERE subname = '%s' AND subdbid ="
                + " (SELECT oid FROM pg_database WHERE datname = current_database()))")
            .formatted(name));
  }

  private String publication(String name) throws SQLException, IOException {
    var tables =
        TableTransaction.run(source.database(), WorkspaceRows::tables).stream()
            .map(
                table ->
                    "hapax.%s WHERE (workspace = '%s')"
                        .formatted(table.name(), source.workspace().name()))
            .collect(Collectors.joining(", "));
    return "CREATE PUBLICATION %s FOR TABLE %s WITH (publish_via_partition_root = true)"
        .formatted(name, tables);
  }

  /**
   * Waits until the target has stored everything that the source has committed so far.
   *
   * @throws IOException if that takes too long
   */
  void drain() throws SQLException, IOException {
    var name = name();
    execute(source.database(), "SELECT pg_logical_emit_message(true, 'hapax', '')");
    var last = text(source.database(), "SELECT pg_current_wal_flush_lsn()");
    var start = System.nanoTime();
    var first = state(name);
    while (!is(
        source.database(),
        "SELECT EXISTS (SELECT FROM pg_replication_slots WHERE confirmed_flush_lsn >= '%s' AND slot_name = '%s')"
            .formatted(last, name))) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new IOException(
            "the target has not received the last writes within %s s"
                .formatted(PATIENCE.toSeconds()));
      }
      state(name).requireStored(first);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Ends the replication, if there is one; the rows in the target stay. */
  void drop() throws SQLException, IOException {
    var name = name();
    if (hasSubscription(name)) {
      // also removes the slot
      execute(target.database(), "DROP SUBSCRIPTION " + name);
    }
    if (hasSlot(name)) {
      execute(source.database(), "SELECT pg_drop_replication_slot('%s')".formatted(name));
    }
    execute(source.database(), "DROP PUBLICATION IF EXISTS " + name);
  }
}
