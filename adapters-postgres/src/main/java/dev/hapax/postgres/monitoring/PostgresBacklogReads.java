package dev.hapax.postgres.monitoring;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.security.AllowedNames;
import dev.hapax.postgres.ledger.WorkspaceScope;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.run.RunStatusCode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Counts the backlog by indexes, up to limits. */
public final class PostgresBacklogReads implements BacklogReads {
  private final ReadExecutor reads;
  private final WideReads wide;

  public PostgresBacklogReads(ReadExecutor reads, WideReads wide) {
    this.reads = reads;
    this.wide = wide;
  }

  @Override
  public CompletableFuture<Backlog> backlog() {
    return wide.submit(BacklogScan::backlog);
  }

  static List<ReadyTasks> ready(ReadSession session, String select, List<?> parameters)
      throws SQLException {
    var ready = new ArrayList<ReadyTasks>();
    IndexScan.query(
        session,
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

  @Override
  public CompletableFuture<List<ReadyTasks>> ready(Workspace workspace) {
    return reads.submit(
        workspace,
        session ->
            ready(
                session,
                BacklogStatements.READY_OF_WORKSPACE,
                List.of(workspace.name(), workspace.name(), GROUP_LIMIT, COUNT_LIMIT)));
  }

  @Override
  public CompletableFuture<Problems> problems(Workspace workspace) {
    return reads.submit(workspace, session -> new ProblemScan(session, workspace).problems());
  }

  @Override
  public CompletableFuture<StuckWork> stuck(AllowedNames names, String after, int most) {
    return switch (names) {
      case AllowedNames.All() ->
          wide.submit(session -> StuckScan.read(session, names, after, most));
      case AllowedNames.Listed(var listed) ->
          reads.submit(
              WorkspaceScope.of(listed.stream().map(Workspace::new).toList()),
              session -> StuckScan.read(session, names, after, most));
    };
  }

  @Override
  public CompletableFuture<Servers> servers() {
    return wide.submit(ProblemScan::servers);
  }

  @Override
  public CompletableFuture<HeldTasks> held(Workspace workspace) {
    return reads.submit(
        workspace,
        session -> {
          var running = held(session, workspace, RunStatus.RUNNING);
          var paused = held(session, workspace, RunStatus.PAUSED);
          return new HeldTasks(
              Stream.concat(running.tasks().stream(), paused.tasks().stream()).toList(),
              running.truncated() || paused.truncated());
        });
  }

  private static HeldTasks held(ReadSession session, Workspace workspace, RunStatus status)
      throws SQLException {
    var held = new ArrayList<Held>();
    var seen = new int[1];
    IndexScan.query(
        session,
        BacklogStatements.HELD,
        List.of(workspace.name(), RunStatusCode.of(status), COUNT_LIMIT),
        found -> {
          var row = new Row(found);
          var number = found.getInt("number");
          seen[0] += number;
          if (found.getBoolean("held")) {
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
  public CompletableFuture<List<RunCount>> runs(Workspace workspace, Set<RunStatus> statuses) {
    var counted = statuses.isEmpty() ? EnumSet.allOf(RunStatus.class) : EnumSet.copyOf(statuses);
    return reads.submit(
        workspace,
        session -> {
          var counts = new ArrayList<RunCount>();
          for (var status : counted) {
            counts.addAll(runs(session, workspace, status));
          }
          return counts;
        });
  }

  private static List<RunCount> runs(ReadSession session, Workspace workspace, RunStatus status)
      throws SQLException {
    var code = RunStatusCode.of(status);
    var counts = new ArrayList<RunCount>();
    var seen = new int[1];
    var isCompleted = status == RunStatus.COMPLETED;
    IndexScan.query(
        session,
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
