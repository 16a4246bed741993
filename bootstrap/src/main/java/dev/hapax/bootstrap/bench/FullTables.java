package dev.hapax.bootstrap.bench;

import java.sql.SQLException;

/** Tables that have seen many runs: copies of one that finished and of one that waits. */
final class FullTables {
  private static final int AT_ONCE = 50_000;

  private final BenchServers bench;

  FullTables(BenchServers bench) {
    this.bench = bench;
  }

  /**
   * Fills them.
   *
   * @param finished the definition of which a run has completed
   * @param ended how many copies of it
   * @param waiting the definition of which a run waits for a worker
   * @param ready how many copies of that
   */
  void fill(String finished, int ended, String waiting, int ready) throws SQLException {
    copy(finished, 5, ended);
    copy(waiting, 1, ready);
    run("VACUUM ANALYZE hapax.run, hapax.run_event");
  }

  private void copy(String definition, int status, int number) throws SQLException {
    for (var done = 0; done < number; ) {
      var copies = Math.min(AT_ONCE, number - done);
      // ids sort by time, so that the copies are older than what comes
      run(
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
          """
              .formatted(definition, status, copies));
      done += copies;
      bench.say("filling: %,d of %,d runs of %s", done, number, definition);
    }
  }

  /** Keeps what is old from being cleared away while something is done. */
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

  /** What is done meanwhile. */
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
