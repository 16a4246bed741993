package dev.hapax.postgres.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.Backlog;
import dev.hapax.domain.monitoring.BacklogReads.NodeCount;
import dev.hapax.domain.monitoring.BacklogReads.QueueCount;
import dev.hapax.domain.monitoring.BacklogReads.StatusCount;
import dev.hapax.domain.monitoring.BacklogReads.WorkspaceCount;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.run.RunStatusCode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Counts the backlog of all workspaces. */
final class BacklogScan {
  private BacklogScan() {}

  static Backlog backlog(ReadSession session) throws SQLException {
    var timers = timers(session);
    var intents = intents(session);
    return new Backlog(
        PostgresBacklogReads.ready(
            session,
            BacklogStatements.READY,
            List.of(BacklogReads.GROUP_LIMIT, BacklogReads.COUNT_LIMIT)),
        held(session),
        statuses(session),
        indeterminate(session),
        abandoned(session),
        timers.number(),
        timers.lag(),
        intents.number(),
        intents.age(),
        nodes(session));
  }

  static List<QueueCount> held(ReadSession session) throws SQLException {
    var counts = new ArrayList<QueueCount>();
    IndexScan.query(
        session,
        BacklogStatements.HELD_BY_QUEUE,
        List.of(BacklogReads.COUNT_LIMIT, BacklogReads.GROUP_LIMIT),
        row ->
            counts.add(
                new QueueCount(new Workspace(row.getString(1)), row.getString(2), row.getInt(3))));
    return counts;
  }

  private static List<StatusCount> statuses(ReadSession session) throws SQLException {
    var counts = new ArrayList<StatusCount>();
    IndexScan.query(
        session,
        BacklogStatements.RUNS,
        List.of(BacklogReads.GROUP_LIMIT, BacklogReads.ENDED_LIMIT, BacklogReads.COUNT_LIMIT),
        row ->
            counts.add(
                new StatusCount(
                    new Workspace(row.getString(1)),
                    RunStatusCode.status(row.getShort(2)),
                    row.getInt(3))));
    return counts;
  }

  private static List<WorkspaceCount> indeterminate(ReadSession session) throws SQLException {
    var counts = new ArrayList<WorkspaceCount>();
    IndexScan.query(
        session,
        BacklogStatements.INDETERMINATE,
        List.of(BacklogReads.GROUP_LIMIT, BacklogReads.COUNT_LIMIT),
        row -> counts.add(new WorkspaceCount(new Workspace(row.getString(1)), row.getInt(2))));
    return counts;
  }

  private static List<WorkspaceCount> abandoned(ReadSession session) throws SQLException {
    var counts = new ArrayList<WorkspaceCount>();
    var pipeline = session.pipeline();
    pipeline.query(
        ProblemStatements.ABANDONED,
        List.of(BacklogReads.COUNT_LIMIT, BacklogReads.GROUP_LIMIT),
        row -> counts.add(new WorkspaceCount(new Workspace(row.getString(1)), row.getInt(2))));
    pipeline.run();
    return counts;
  }

  private static List<NodeCount> nodes(ReadSession session) throws SQLException {
    var counts = new ArrayList<NodeCount>();
    IndexScan.query(
        session,
        BacklogStatements.NODES,
        List.of(BacklogReads.GROUP_LIMIT),
        row -> counts.add(new NodeCount(row.getString(1), row.getInt(2))));
    return counts;
  }

  private record Timers(int number, Duration lag) {}

  private static Timers timers(ReadSession session) throws SQLException {
    var timers = new ArrayList<Timers>(1);
    IndexScan.query(
        session,
        BacklogStatements.TIMERS,
        List.of(Backlog.LATE.toNanos() / 1_000, BacklogReads.COUNT_LIMIT),
        row -> timers.add(new Timers(row.getInt(1), Micros.duration(row.getLong(2)))));
    return timers.getFirst();
  }

  record Intents(int number, Duration age) {}

  static Intents intents(ReadSession session) throws SQLException {
    var intents = new ArrayList<Intents>(1);
    IndexScan.query(
        session,
        BacklogStatements.INTENTS,
        List.of(BacklogReads.COUNT_LIMIT),
        row -> intents.add(new Intents(row.getInt(1), Micros.duration(row.getLong(2)))));
    return intents.getFirst();
  }
}
