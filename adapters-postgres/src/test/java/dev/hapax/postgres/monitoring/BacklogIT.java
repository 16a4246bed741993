package dev.hapax.postgres.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.Held;
import dev.hapax.domain.monitoring.BacklogReads.QueueCount;
import dev.hapax.domain.monitoring.BacklogReads.ReadyTasks;
import dev.hapax.domain.monitoring.BacklogReads.RunCount;
import dev.hapax.domain.monitoring.BacklogReads.StatusCount;
import dev.hapax.domain.monitoring.BacklogReads.WorkspaceCount;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.read.IndexScanPlan;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The backlog beside a great many finished runs. */
class BacklogIT {
  private static final int FINISHED = 30_000;
  private static final int MANY = BacklogReads.COUNT_LIMIT + 500;
  private static final Workspace SHOP = new Workspace("shop");
  private static final Workspace BULK = new Workspace("bulk");
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final ReadExecutor READS = new ReadExecutor(DATABASE.dataSource(), 2);
  private static final BacklogReads BACKLOG = new PostgresBacklogReads(READS, new WideReads(READS));

  @BeforeAll
  static void fill() {
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.execute(
        """
        ALTER TABLE hapax.run SET (autovacuum_enabled = false);
        CREATE FUNCTION hapax.test_run(workspace text, definition text, status int, phase int,
            queue text, worker text, due_at timestamptz, how_many int) RETURNS void AS $$
          INSERT INTO hapax.run (workspace, id, created_at, not_before, remembered_until,
            definition_name, definition_version, version, fence, received, step, attempt, allowed,
            unconsumed, named, status, phase, paused, queue, worker, due_at, until)
          SELECT $1, gen_random_uuid(), now(), now(), now(), $2, '1', 1, 1, 0, 0, 1, 3, 0, 0, $3, $4,
            false, $5, $6, $7, now() FROM generate_series(1, how_many)
        $$ LANGUAGE sql;
        """);
    run("shop", "order", 5, 6, null, null, "NULL", FINISHED);
    run("shop", "order", 2, 1, "charge", null, "now() - interval '90 s'", 1);
    run("shop", "order", 2, 1, "charge", null, "now() - interval '10 s'", 2);
    run("shop", "order", 2, 1, "charge", null, "now() + interval '1 h'", 4);
    run("shop", "order", 2, 1, "later", null, "now() + interval '1 h'", 1);
    run("shop", "order", 2, 2, null, "worker-1", "now() + interval '1 min'", 2);
    run("shop", "refund", 4, 2, null, "worker-2", "now() + interval '1 min'", 1);
    run("shop", "order", 3, 3, null, null, "now() - interval '60 s'", 3);
    run("shop", "order", 3, 4, null, null, "'epoch'", 1);
    run("shop", "refund", 6, 7, null, null, "NULL", 5);
    run("bulk", "import", 2, 1, "import", null, "now() - interval '5 min'", MANY);
    run("shop", "order", 3, 3, null, null, "now() + interval '1 d'", MANY);
    DATABASE.execute(
        """
        INSERT INTO hapax.definition (workspace, name, version, registered_at, steps,
            registered_by, reason) VALUES
          ('shop', 'order', '1', now(), '[{"name":"charge","task":{"queue":"charge"}}]', '', ''),
          ('shop', 'refund', '1', now(), '[{"name":"main","code":{"queue":"code"}}]', '', '')
        """);
    DATABASE.execute(
        """
        INSERT INTO hapax.operation (workspace, id, state, attempt, nonce, fence, started_at,
          expires_at, until, fingerprint, account_changing, hold, account, operation, request_id)
        SELECT 'shop', gen_random_uuid(), CASE WHEN i % 100 = 0 THEN 2 ELSE 1 END, 1, 1, 1, now(),
          now(), now(), gen_random_uuid(), false, false, 'ann', 'orders/Place', i
        FROM generate_series(1, 1000) i
        """);
  }

  private static void run(
      String workspace,
      String definition,
      int status,
      int phase,
      @Nullable String queue,
      @Nullable String worker,
      String dueAt,
      int howMany) {
    DATABASE.execute(
        String.format(
            Locale.ROOT,
            "SELECT hapax.test_run('%s', '%s', %d, %d, %s, %s, %s, %d)",
            workspace,
            definition,
            status,
            phase,
            queue == null ? "NULL" : "'" + queue + "'",
            worker == null ? "NULL" : "'" + worker + "'",
            dueAt,
            howMany));
  }

  @AfterAll
  static void stop() {
    READS.close();
    DATABASE.close();
  }

  @Test
  @DisplayName("ready tasks are counted by queue up to the limit, with the age of the oldest")
  void ready() {
    var ready = BACKLOG.backlog().join().ready();

    assertThat(ready)
        .extracting(ReadyTasks::workspace, ReadyTasks::queue, ReadyTasks::number)
        .containsExactly(tuple(BULK, "import", BacklogReads.COUNT_LIMIT), tuple(SHOP, "charge", 3));
    assertThat(ready.getLast().age()).isBetween(Duration.ofSeconds(90), Duration.ofHours(1));
    assertThat(BACKLOG.ready(SHOP).join())
        .extracting(ReadyTasks::queue, ReadyTasks::number)
        .containsExactly(tuple("charge", 3));
  }

  @Test
  @DisplayName("runs that have not completed are counted by status, INDETERMINATE operations too")
  void statuses() {
    var backlog = BACKLOG.backlog().join();

    assertThat(backlog.runs())
        .containsExactly(
            new StatusCount(BULK, RunStatus.RUNNING, BacklogReads.COUNT_LIMIT),
            new StatusCount(SHOP, RunStatus.RUNNING, 10),
            new StatusCount(SHOP, RunStatus.WAITING, BacklogReads.COUNT_LIMIT),
            new StatusCount(SHOP, RunStatus.PAUSED, 1),
            new StatusCount(SHOP, RunStatus.FAILED, 5));
    assertThat(backlog.indeterminate()).containsExactly(new WorkspaceCount(SHOP, 10));
  }

  @Test
  @DisplayName("late timers are counted, and the lag is that of the first with a time")
  void timers() {
    var backlog = BACKLOG.backlog().join();

    assertThat(backlog.timersLate()).isEqualTo(4);
    assertThat(backlog.timerLag()).isBetween(Duration.ofSeconds(60), Duration.ofHours(1));
  }

  @Test
  @DisplayName("held tasks are counted by the queue of their step, also beside many later timers")
  void heldByQueue() {
    assertThat(BACKLOG.backlog().join().held())
        .containsExactlyInAnyOrder(
            new QueueCount(SHOP, "charge", 2), new QueueCount(SHOP, "code", 1));
  }

  @Test
  @DisplayName("held tasks are those of running and paused runs, by worker and step")
  void held() {
    var held = BACKLOG.held(SHOP).join();

    assertThat(held.truncated()).isFalse();
    assertThat(held.tasks())
        .extracting(Held::worker, task -> task.definition().name(), Held::number)
        .containsExactlyInAnyOrder(tuple("worker-1", "order", 2), tuple("worker-2", "refund", 1));
    assertThat(BACKLOG.held(BULK).join().truncated()).isTrue();
  }

  @Test
  @DisplayName("runs are counted by definition, of the newest of each status")
  void byDefinition() {
    assertThat(BACKLOG.runs(SHOP, Set.of(RunStatus.FAILED)).join())
        .containsExactly(new RunCount(RunStatus.FAILED, "refund", 5, false));
    assertThat(BACKLOG.runs(SHOP, Set.of(RunStatus.FAILED, RunStatus.PAUSED)).join())
        .extracting(RunCount::status)
        .containsExactly(RunStatus.PAUSED, RunStatus.FAILED);
    assertThat(BACKLOG.runs(SHOP, Set.of()).join())
        .contains(
            new RunCount(RunStatus.RUNNING, "order", 9 + 1, false),
            new RunCount(RunStatus.PAUSED, "refund", 1, false))
        .filteredOn(count -> count.status() == RunStatus.COMPLETED)
        .singleElement()
        .satisfies(completed -> assertThat(completed.number()).isBetween(1, 10_000))
        .satisfies(completed -> assertThat(completed.truncated()).isTrue());
    assertThat(BACKLOG.runs(BULK, Set.of(RunStatus.RUNNING)).join())
        .containsExactly(new RunCount(RunStatus.RUNNING, "import", BacklogReads.COUNT_LIMIT, true));
  }

  private static String plan(Connection connection, String select, Object... values)
      throws SQLException {
    return IndexScanPlan.of(connection, select, List.of(values));
  }

  @Test
  @DisplayName("every count goes by an index, before and after statistics [X6]")
  void plans() throws SQLException {
    try (var connection = DATABASE.connect()) {
      assertPlans(connection);
      DATABASE.execute("ANALYZE hapax.run; ANALYZE hapax.operation");
      assertPlans(connection);
    }
  }

  private static void assertPlans(Connection connection) throws SQLException {
    var late = Duration.ofSeconds(5).toNanos() / 1_000;
    assertGoesBy(plan(connection, BacklogStatements.READY, 1_000, 10_000), "run_ready");
    assertGoesBy(
        plan(connection, BacklogStatements.READY_OF_WORKSPACE, "shop", "shop", 1_000, 10_000),
        "run_ready");
    assertGoesBy(plan(connection, BacklogStatements.RUNS, 1_000, 1_000, 10_000), "run_status");
    assertGoesBy(
        plan(connection, BacklogStatements.INDETERMINATE, 1_000, 10_000),
        "operation_indeterminate");
    assertGoesBy(plan(connection, BacklogStatements.TIMERS, late, 10_000), "run_due");
    assertThat(plan(connection, BacklogStatements.HELD_BY_QUEUE, 10_000, 1_000))
        .contains("using run_due", "using definition_pkey")
        .doesNotContain("Seq Scan", "Sort");
    assertGoesBy(plan(connection, BacklogStatements.HELD, "shop", 2, 10_000), "run_status");
    assertGoesBy(
        plan(connection, BacklogStatements.RUNS_OF_STATUS, "shop", 6, 10_000), "run_status");
    assertGoesBy(plan(connection, BacklogStatements.NEWEST_RUNS, 5, "shop", 10_000), "run_pkey");
  }

  private static void assertGoesBy(String plan, String index) {
    assertThat(plan).contains(index).doesNotContain("Seq Scan");
    assertThat(plan.lines().filter(line -> line.contains("Scan using")))
        .allMatch(line -> line.contains(index));
  }
}
