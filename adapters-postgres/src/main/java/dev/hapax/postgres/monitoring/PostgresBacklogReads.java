package dev.hapax.postgres.monitoring;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.run.RunStatusCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Counts the backlog by indexes, up to limits. */
public final class PostgresBacklogReads implements BacklogReads {
  private static final int HELD_PHASE = 2;

  private final ReadExecutor reads;

  public PostgresBacklogReads(ReadExecutor reads) {
    this.reads = reads;
  }

  @Override
  public CompletableFuture<Backlog> backlog() {
    return reads.submit(
        connection -> {
          var timers = timers(connection);
          return new Backlog(
              ready(connection, BacklogStatements.READY, List.of()),
              statuses(connection),
              indeterminate(connection),
              timers.number(),
              timers.lag());
        });
  }

  private static List<ReadyTasks> ready(Connection connection, String select, List<?> workspace)
      throws SQLException {
    var parameters = new ArrayList<Object>(workspace);
    parameters.addAll(List.of(GROUP_LIMIT, COUNT_LIMIT));
    var ready = new ArrayList<ReadyTasks>();
    IndexScan.query(
        connection,
        select,
        parameters,
        row ->
            ready.add(
                new ReadyTasks(
                    new Workspace(row.getString(1)),
                    row.getString(2),
                    row.getInt(3),
                    Micros.duration(row.getLong(4)))));
    return ready;
  }

  private static List<StatusCount> statuses(Connection connection) throws SQLException {
    var counts = new ArrayList<StatusCount>();
    IndexScan.query(
        connection,
        BacklogStatements.RUNS,
        List.of(GROUP_LIMIT, ENDED_LIMIT, COUNT_LIMIT),
        row ->
            counts.add(
                new StatusCount(
                    new Workspace(row.getString(1)),
                    RunStatusCode.status(row.getShort(2)),
                    row.getInt(3))));
    return counts;
  }

  private static List<WorkspaceCount> indeterminate(Connection connection) throws SQLException {
    var counts = new ArrayList<WorkspaceCount>();
    IndexScan.query(
        connection,
        BacklogStatements.INDETERMINATE,
        List.of(GROUP_LIMIT, COUNT_LIMIT),
        row -> counts.add(new WorkspaceCount(new Workspace(row.getString(1)), row.getInt(2))));
    return counts;
  }

  private record Timers(int number, Duration lag) {}

  private static Timers timers(Connection connection) throws SQLException {
    var timers = new ArrayList<Timers>(1);
    IndexScan.query(
        connection,
        BacklogStatements.TIMERS,
        List.of(Backlog.LATE.toNanos() / 1_000, COUNT_LIMIT),
        row -> timers.add(new Timers(row.getInt(1), Micros.duration(row.getLong(2)))));
    return timers.getFirst();
  }

  @Override
  public CompletableFuture<List<ReadyTasks>> ready(Workspace workspace) {
    return reads.submit(
        connection ->
            ready(
                connection,
                BacklogStatements.READY_OF_WORKSPACE,
                List.of(workspace.name(), workspace.name())));
  }

  @Override
  public CompletableFuture<HeldTasks> held(Workspace workspace) {
    return reads.submit(
        connection -> {
          var running = held(connection, workspace, RunStatus.RUNNING);
          var paused = held(connection, workspace, RunStatus.PAUSED);
          return new HeldTasks(
              Stream.concat(running.tasks().stream(), paused.tasks().stream()).toList(),
              running.truncated() || paused.truncated());
        });
  }

  private static HeldTasks held(Connection connection, Workspace workspace, RunStatus status)
      throws SQLException {
    var held = new ArrayList<Held>();
    var seen = new int[1];
    IndexScan.query(
        connection,
        BacklogStatements.HELD,
        List.of(workspace.name(), RunStatusCode.of(status), COUNT_LIMIT),
        found -> {
          var row = new Row(found);
          var number = found.getInt("number");
          seen[0] += number;
          if (row.integer(RUN.PHASE) == HELD_PHASE) {
            held.add(
                new Held(
                    row.text(RUN.WORKER),
                    new DefinitionId(
                        workspace, row.text(RUN.DEFINITION_NAME), row.text(RUN.DEFINITION_VERSION)),
                    row.integer(RUN.STEP),
                    number,
                    row.instant(RUN.UNTIL)));
          }
        });
    return new HeldTasks(held, seen[0] >= COUNT_LIMIT);
  }

  @Override
  public CompletableFuture<List<RunCount>> runs(Workspace workspace, Optional<RunStatus> status) {
    var asked = status.map(List::of).orElseGet(() -> List.of(RunStatus.values()));
    return reads.submit(
        connection -> {
          var counts = new ArrayList<RunCount>();
          for (var each : asked) {
            counts.addAll(runs(connection, workspace, each));
          }
          return counts;
        });
  }

  private static List<RunCount> runs(Connection connection, Workspace workspace, RunStatus status)
      throws SQLException {
    var code = RunStatusCode.of(status);
    var counts = new ArrayList<RunCount>();
    var seen = new int[1];
    var isCompleted = status == RunStatus.COMPLETED;
    IndexScan.query(
        connection,
        isCompleted ? BacklogStatements.NEWEST_RUNS : BacklogStatements.RUNS_OF_STATUS,
        isCompleted
            ? List.of(code, workspace.name(), COUNT_LIMIT)
            : List.of(workspace.name(), code, COUNT_LIMIT),
        row -> {
          seen[0] += row.getInt(3);
          if (row.getInt(2) > 0) {
            counts.add(new RunCount(status, row.getString(1), row.getInt(2), false));
          }
        });
    var truncated = seen[0] >= COUNT_LIMIT;
    return counts.stream()
        .map(count -> new RunCount(status, count.definition(), count.number(), truncated))
        .sorted(Comparator.comparingInt(RunCount::number).reversed())
        .toList();
  }
}
