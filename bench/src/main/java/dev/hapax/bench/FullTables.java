package dev.hapax.bench;

import java.sql.SQLException;
import java.util.Locale;

/** Fills the tables with copies of a finished run and of a waiting run. */
final class FullTables {
  private static final int AT_ONCE = 50_000;

  private final BenchServers bench;

  FullTables(BenchServers bench) {
    this.bench = bench;
  }

  /**
   * Copies a run of each definition.
   *
   * @param finished definition with a completed run
   * @param ended number of copies of the completed run
   * @param waiting definition with a run that waits for a worker
   * @param ready number of copies of the waiting run
   */
  void fill(String finished, int ended, String waiting, int ready) throws SQLException {
    copy(finished, 5, ended);
    copy(waiting, 1, ready);
    run("VACUUM ANALYZE hapax.run, hapax.run_event");
  }

  private void copy(String definition, int status, int number) throws SQLException {
    for (var done = 0; done < number; ) {
      var copies = Math.min(AT_ONCE, number - done);
      // ids sort by time: the copies are older than the runs that follow
      run(
          String.format(
              Locale.ROOT,
              """
          WITH original AS (
            SELECT * FROM hapax.run WHERE definition_name = '%s' AND status = %d LIMIT 1
          ), copies AS (
            SELECT original.id AS original,
                   (lpad(to_hex((extract(epoch FROM now() - interval '1 day') * 1000)::bigint), 12, '0')
                    || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid AS id
            FROM original, generate_series(1, %d)
          ), runs AS (
            INSERT INTO hapax.run
            SELECT r.* FROM copies c, original o,
              LATERAL jsonb_populate_record(
                NULL::hapax.run, to_jsonb(o) || jsonb_build_object('id', c.id)) r
          )
          INSERT INTO hapax.run_event
          SELECT r.*
          FROM copies c
            JOIN hapax.run_event e ON e.workspace = 'default' AND e.run_id = c.original,
            LATERAL jsonb_populate_record(
              NULL::hapax.run_event, to_jsonb(e) || jsonb_build_object('run_id', c.id)) r
          """,
              definition,
              status,
              copies));
      done += copies;
      bench.print("copied %,d of %,d runs of %s", done, number, definition);
    }
  }

  /** Does the work while an open transaction keeps VACUUM from removing dead rows. */
  <T> T withOldSnapshot(Work<T> work) throws Exception {
    try (var connection = bench.connect();
        var statement = connection.createStatement()) {
      statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      statement.execute("SELECT txid_current()");
      var result = work.result();
      statement.execute("ROLLBACK");
      return result;
    }
  }

  /** Work with a result. */
  interface Work<T> {
    T result() throws Exception;
  }

  private void run(String sql) throws SQLException {
    try (var connection = bench.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
