package dev.hapax.postgres.monitoring;

import static dev.hapax.domain.monitoring.BacklogReads.COUNT_LIMIT;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.monitoring.BacklogReads.Problems;
import dev.hapax.domain.monitoring.BacklogReads.Server;
import dev.hapax.domain.monitoring.Problem;
import dev.hapax.domain.monitoring.Problem.Cause;
import dev.hapax.postgres.intent.VerbCode;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** Finds the problems of a workspace, and the servers. */
record ProblemScan(ReadSession session, Workspace workspace) {
  private static final int MOST_SERVERS = 1_000;

  /** Of failed runs, since there may be many kinds of them. */
  private static final int FAILED = 1_000;

  /** The columns of a group that name it. */
  private interface Naming {
    Cause from(ResultSet row) throws SQLException;
  }

  Problems problems() throws SQLException {
    var problems = new ArrayList<Problem>();
    add(
        problems,
        ProblemStatements.OPERATIONS_IN_DOUBT,
        1,
        row -> new Cause.OperationsInDoubt(row.getString(1)));
    add(
        problems,
        ProblemStatements.OPERATIONS_ABANDONED,
        1,
        row -> new Cause.OperationsAbandoned(row.getString(1)));
    add(
        problems,
        ProblemStatements.ENTITIES_ABANDONED,
        2,
        row -> new Cause.EntitiesAbandoned(row.getString(1), row.getString(2)));
    add(
        problems,
        ProblemStatements.STEPS_IN_DOUBT,
        3,
        row -> new Cause.StepsInDoubt(definition(row), row.getInt(3)));
    add(
        problems,
        ProblemStatements.INTENTS_REFUSED,
        2,
        row -> new Cause.IntentsRefused(VerbCode.verb(row.getInt(1)), row.getString(2)));
    addFailed(problems);
    problems.sort(Comparator.comparing(problem -> problem.tally().first()));
    return new Problems(isKnown(), problems);
  }

  private void add(List<Problem> problems, String select, int names, Naming naming)
      throws SQLException {
    var pipeline = session.pipeline();
    pipeline.query(
        select,
        List.of(workspace.name(), COUNT_LIMIT, Problems.MOST),
        row -> problems.add(problem(naming.from(row), row, names, COUNT_LIMIT)));
    pipeline.run();
  }

  private void addFailed(List<Problem> problems) throws SQLException {
    var name = workspace.name();
    IndexScan.query(
        session,
        ProblemStatements.RUNS_FAILED,
        List.of(name, name, Problems.MOST, name, FAILED, name, name, FAILED),
        row ->
            problems.add(
                problem(
                    new Cause.RunsFailed(definition(row), row.getInt(3), row.getString(4)),
                    row,
                    4,
                    FAILED)));
  }

  private DefinitionId definition(ResultSet row) throws SQLException {
    return new DefinitionId(workspace, row.getString(1), row.getString(2));
  }

  private static Problem problem(Cause cause, ResultSet row, int names, int limit)
      throws SQLException {
    var number = row.getInt(names + 1);
    return new Problem(
        cause,
        new Problem.Tally(
            number,
            number >= limit,
            instant(row, names + 2),
            instant(row, names + 3),
            row.getInt(names + 4)));
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private boolean isKnown() throws SQLException {
    var known = new boolean[1];
    IndexScan.query(
        session,
        ProblemStatements.IS_KNOWN,
        Collections.nCopies(7, workspace.name()),
        row -> known[0] = row.getBoolean(1));
    return known[0];
  }

  static List<Server> servers(ReadSession session) throws SQLException {
    var servers = new ArrayList<Server>();
    var pipeline = session.pipeline();
    pipeline.query(
        ProblemStatements.SERVERS,
        List.of(MOST_SERVERS),
        row ->
            servers.add(
                new Server(
                    row.getObject(1, UUID.class),
                    row.getString(2),
                    instant(row, 3),
                    instant(row, 4),
                    row.getBoolean(5),
                    List.of((String[]) row.getArray(6).getArray()))));
    pipeline.run();
    return servers;
  }
}
