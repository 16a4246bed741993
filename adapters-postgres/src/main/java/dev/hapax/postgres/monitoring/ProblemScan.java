package dev.hapax.postgres.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.monitoring.BacklogReads.Problems;
import dev.hapax.domain.monitoring.BacklogReads.Server;
import dev.hapax.domain.monitoring.BacklogReads.Servers;
import dev.hapax.domain.monitoring.Problem;
import dev.hapax.domain.monitoring.Problem.AtStep;
import dev.hapax.domain.monitoring.Problem.Cause;
import dev.hapax.domain.monitoring.Problem.Tally;
import dev.hapax.postgres.intent.VerbCode;
import dev.hapax.postgres.ledger.Pipeline;
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
import java.util.Optional;
import java.util.UUID;

/** Finds the problems of a workspace, and the servers. */
record ProblemScan(ReadSession session, Workspace workspace) {
  private static final int MOST_SERVERS = 1_000;

  /** The columns of a group that name it. */
  private interface Naming {
    Cause from(ResultSet row) throws SQLException;
  }

  Problems problems() throws SQLException {
    var problems = new ArrayList<Problem>();
    var pipeline = session.pipeline();
    add(
        pipeline,
        ProblemStatements.OPERATIONS_IN_DOUBT,
        problems,
        row -> new Cause.OperationsInDoubt(row.getString(1)));
    add(
        pipeline,
        ProblemStatements.OPERATIONS_ABANDONED,
        problems,
        row -> new Cause.OperationsAbandoned(row.getString(1)));
    add(
        pipeline,
        ProblemStatements.ENTITIES_ABANDONED,
        problems,
        row -> new Cause.EntitiesAbandoned(row.getString(1), row.getString(2)));
    add(
        pipeline,
        ProblemStatements.STEPS_IN_DOUBT,
        problems,
        row -> new Cause.StepsInDoubt(atStep(row)));
    add(
        pipeline,
        ProblemStatements.INTENTS_REFUSED,
        problems,
        row -> new Cause.IntentsRefused(VerbCode.verb(row.getInt(1)), row.getString(2)));
    pipeline.run();
    IndexScan.query(
        session,
        ProblemStatements.RUNS_FAILED,
        Collections.nCopies(5, workspace.name()),
        row ->
            problems.add(
                new Problem(new Cause.RunsFailed(atStep(row), row.getString(4)), tally(row))));
    problems.sort(Comparator.comparing(problem -> problem.tally().first()));
    return new Problems(isKnown(), problems);
  }

  private void add(Pipeline pipeline, String select, List<Problem> problems, Naming naming) {
    pipeline.query(
        select,
        List.of(workspace.name()),
        row -> problems.add(new Problem(naming.from(row), tally(row))));
  }

  private AtStep atStep(ResultSet row) throws SQLException {
    return new AtStep(
        new DefinitionId(workspace, row.getString(1), row.getString(2)), row.getInt(3));
  }

  private static Tally tally(ResultSet row) throws SQLException {
    return new Tally(
        row.getInt("number"),
        row.getBoolean("truncated"),
        instant(row, "first"),
        instant(row, "last"),
        row.getInt("recent"));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
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

  static Servers servers(ReadSession session) throws SQLException {
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
                    instant(row, "started_at"),
                    instant(row, "seen_at"),
                    row.getBoolean(5),
                    List.of((String[]) row.getArray(6).getArray()),
                    Optional.ofNullable(row.getString(7)).map(NodeFactsJson::read))));
    pipeline.run();
    var intents = BacklogScan.intents(session);
    return new Servers(servers, intents.number(), intents.age());
  }
}
