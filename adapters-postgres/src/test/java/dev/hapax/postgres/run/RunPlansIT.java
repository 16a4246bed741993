package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.IndexScanPlan;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.run.PolledRuns.Poll;
import dev.hapax.postgres.schema.SessionRoles;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists go by an index and in its order, also before anything is known of the table. */
@Tag("long")
class RunPlansIT {
  private static final int ALL = 20_000;
  private static final TimeRange YESTERDAY =
      new TimeRange(
          Optional.of(RunSamples.NOW.minus(Duration.ofDays(1))), Optional.of(RunSamples.NOW));

  private static RunNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
    var definition = RunSamples.definition("one", new StepDefinition.Task(RunSamples.work("q")));
    var origin = RunSamples.origin(new Payload.Json("1"), Map.of("a", "1"));
    var run = RunSamples.run(definition, origin, new Phase.Completed(RunSamples.NOW));
    nodes.run(RunNodes.write(definition.id(), definition));
    nodes.run(RunNodes.write(run.id(), run));
    nodes
        .database()
        .execute(
            String.format(
                Locale.ROOT,
                """
            ALTER TABLE hapax.run SET (autovacuum_enabled = false);
            INSERT INTO hapax.run
            SELECT (jsonb_populate_record(r, jsonb_build_object(
              'id', gen_random_uuid(),
              'status', CASE WHEN i %% 100 = 0 THEN 6 WHEN i %% 100 = 1 THEN 3 ELSE 5 END))).*
            FROM hapax.run r, generate_series(1, %d) i
            """,
                ALL));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  /** Plans are those of the server's role, to which row-level security applies. */
  private static void begin(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(SessionRoles.SEPARATED.beginRuntime());
      statement.execute("SELECT set_config('hapax.scope', 'runs', false)");
    }
  }

  private static String plan(Connection connection, RunFilter filter) throws SQLException {
    var query =
        new Query(RunSamples.WORKSPACE, filter, 20, Optional.of(RunSamples.newRun().uuid()));
    var list =
        new RunList(ReadSession.wide(connection), new RunLoader(new DefinitionCache()), query);
    var select = list.candidates(query.after(), 500);
    return IndexScanPlan.of(connection, RenderedSql.text(select), select.getBindValues());
  }

  private static void assertGoesBy(String plan, String... indexes) {
    assertThat(plan).doesNotContain("Seq Scan on run", "Sort  (", "Bitmap").contains(indexes);
  }

  private static void assertListsGoByIndex(Connection connection) throws SQLException {
    assertGoesBy(plan(connection, RunFilter.ALL), "run_pkey");
    var completed = Set.of(RunStatus.COMPLETED, RunStatus.FAILED);
    assertGoesBy(plan(connection, RunFilter.of(completed, YESTERDAY)), "run_pkey");
    var open = Set.of(RunStatus.WAITING, RunStatus.PAUSED, RunStatus.FAILED);
    assertGoesBy(plan(connection, RunFilter.of(open, TimeRange.ALL)), "Merge Append", "run_status");
    assertGoesBy(plan(connection, RunFilter.of(Set.of(RunStatus.FAILED), YESTERDAY)), "run_status");
    var failed =
        new RunFilter(
            Set.of(),
            Set.of("one", "two"),
            Map.of(),
            Optional.of("CODE"),
            false,
            TimeRange.ALL,
            YESTERDAY);
    assertGoesBy(plan(connection, failed), "run_status");
    var labelled =
        new RunFilter(
            open,
            Set.of(),
            Map.of("a", "1", "b", "2"),
            Optional.empty(),
            false,
            YESTERDAY,
            YESTERDAY);
    assertGoesBy(plan(connection, labelled), "run_label_pkey");
    assertGoesBy(plan(connection, RunFilter.inDoubt(YESTERDAY)), "run_in_doubt");
  }

  @Test
  @DisplayName("lists of one status, of several, of a label and of all go by an index [P7 A10]")
  void byIndex() throws SQLException {
    try (var connection = nodes.database().connect()) {
      begin(connection);
      assertListsGoByIndex(connection);
      nodes.database().execute("ANALYZE hapax.run");
      assertListsGoByIndex(connection);
    }
  }

  @Test
  @DisplayName("the runs of polls are found by the index of polls, with one plan for all polls")
  void polled() throws SQLException {
    var polls = List.of(new Poll(RunSamples.WORKSPACE, new UUID(1, 2)));
    try (var connection = nodes.database().connect()) {
      begin(connection);
      assertGoesBy(
          IndexScanPlan.of(connection, PolledRuns.POLLED, PolledRuns.POLLS.parameters(polls)),
          "run_poll");

      for (var call = 0; call < 10; call++) {
        PolledRuns.of(ReadSession.wide(connection), polls);
      }

      try (var statement = connection.createStatement();
          var plans =
              statement.executeQuery(
                  "SELECT generic_plans, custom_plans FROM pg_prepared_statements"
                      + " WHERE statement LIKE '%poll_id%'")) {
        assertThat(plans.next()).isTrue();
        assertThat(plans.getInt("generic_plans")).isPositive();
        assertThat(plans.getInt("custom_plans")).isZero();
      }
    }
  }
}
