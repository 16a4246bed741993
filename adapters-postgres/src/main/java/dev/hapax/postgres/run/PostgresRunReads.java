package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;
import static dev.hapax.postgres.schema.Tables.RUN_KEY;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PendingIntents.Stored;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.ledger.WorkspaceScope;
import dev.hapax.postgres.read.GroupedReads;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.run.SignalOutputs.SignalStep;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads runs, their histories and their inboxes. */
public final class PostgresRunReads implements RunReads {
  private static final UnnestRows<RunId> KEYS = new UnnestRows<>("k", RunColumns.key(id -> id));
  private static final String VERSIONS = RenderedSql.text(versions());

  private static final String KEYED =
      RenderedSql.text(
          DSL.select(RUN_KEY.RUN_ID)
              .from(RUN_KEY)
              .where(RUN_KEY.WORKSPACE.eq((String) null), RUN_KEY.HASH.eq((UUID) null)));

  private final ReadExecutor reads;
  private final WideReads wide;
  private final RunLoader load;
  private final PendingIntents intents;
  private final GroupedReads<RunId, Stored<Run>> runs;
  private final GroupedReads<PolledRuns.Poll, List<RunId>> polled;
  private final GroupedReads<SignalStep, SignalOutput> signalOutputs;

  public PostgresRunReads(
      ReadExecutor reads, WideReads wide, DefinitionCache definitions, PendingIntents intents) {
    this.reads = reads;
    this.intents = intents;
    this.wide = wide;
    this.load = new RunLoader(definitions);
    this.runs = new GroupedReads<>(reads, RunId::workspace, this::find);
    this.polled = new GroupedReads<>(reads, PolledRuns.Poll::workspace, PolledRuns::of);
    this.signalOutputs =
        new GroupedReads<>(reads, step -> step.run().workspace(), SignalOutputs::of);
  }

  private static Select<?> versions() {
    var run =
        DSL.select(RUN.VERSION)
            .from(RUN)
            .where(RunLoader.isRow(KEYS))
            .limit(DSL.inline(1))
            .asTable("r");
    return DSL.select(KEYS.number(), run.field(RUN.VERSION)).from(KEYS.table(), DSL.lateral(run));
  }

  @Override
  public CompletableFuture<Optional<Run>> find(RunId id) {
    return intents.settled(() -> runs.find(id));
  }

  private Map<RunId, Stored<Run>> find(ReadSession session, List<RunId> ids) throws SQLException {
    var runs = new HashMap<RunId, Stored<Run>>();
    for (var left = ids; !left.isEmpty(); ) {
      var found = load.find(session, left);
      found.stored().forEach(stored -> runs.put(stored.record().id(), stored));
      left = found.leftOut();
    }
    return runs;
  }

  @Override
  public CompletableFuture<Optional<RunId>> keyed(RunKeyId key) {
    return reads.submit(
        key.workspace(),
        session -> {
          var found = new ArrayList<RunId>(1);
          var pipeline = session.pipeline();
          pipeline.query(
              KEYED,
              List.of(key.workspace().name(), key.hash()),
              row -> found.add(new RunId(key.workspace(), new Row(row).uuid(RUN_KEY.RUN_ID))));
          pipeline.run();
          return found.stream().findFirst();
        });
  }

  @Override
  public CompletableFuture<Page<Run, UUID>> list(Query query) {
    return reads.submit(query.workspace(), session -> new RunList(session, load, query).page());
  }

  @Override
  public CompletableFuture<Page<RunEvent, Long>> events(RunId id, long after, int size) {
    return reads.submit(
        id.workspace(), session -> new RunHistoryReads(session, id).events(after, size));
  }

  @Override
  public CompletableFuture<Optional<RunEvent>> endedBy(TaskClaim claim) {
    return reads.submit(
        claim.run().workspace(),
        session -> new RunHistoryReads(session, claim.run()).endedBy(claim));
  }

  @Override
  public CompletableFuture<Boolean> isReopened(RunId id, String requestId) {
    return reads.submit(
        id.workspace(), session -> new RunHistoryReads(session, id).isReopened(requestId));
  }

  @Override
  public CompletableFuture<List<Received>> inbox(RunId id, int atMost) {
    return reads.submit(id.workspace(), session -> new RunInbox(session, id).inbox(atMost));
  }

  @Override
  public CompletableFuture<Optional<Received>> wakingSignal(RunId id, int step) {
    return reads.submit(id.workspace(), session -> new RunInbox(session, id).waking(step));
  }

  @Override
  public CompletableFuture<Optional<Received>> firstOf(RunId id, SignalFilter filter) {
    return reads.submit(id.workspace(), session -> new RunInbox(session, id).firstOf(filter));
  }

  @Override
  public CompletableFuture<List<SignalOutput>> signalOutputs(RunId id, List<Integer> steps) {
    return steps.size() == 1
        ? signalOutputs
            .find(new SignalStep(id, steps.getFirst()))
            .thenApply(found -> found.stream().toList())
        : reads.submit(id.workspace(), session -> SignalOutputs.of(session, id, steps));
  }

  @Override
  public CompletableFuture<Parts> parts(RunId id, int step) {
    return reads.submit(id.workspace(), session -> new PartReads(session, id, step).parts());
  }

  @Override
  public CompletableFuture<Page<Recorded, Long>> recorded(RunId id, int step, long after) {
    return reads.submit(
        id.workspace(), session -> new PartReads(session, id, step).recorded(after));
  }

  @Override
  public CompletableFuture<List<RunId>> ready(
      Workspace workspace, String queue, Optional<Duration> back, int atMost) {
    return reads.submit(
        workspace, session -> ReadyRunQuery.ready(session, workspace, queue, back, atMost));
  }

  @Override
  public CompletableFuture<Set<Queue>> ready(Set<Queue> queues, Optional<Duration> back) {
    var asked = List.copyOf(queues);
    return wide.submit(session -> ReadyRunQuery.ready(session, asked, back));
  }

  @Override
  public CompletableFuture<List<Due>> due(Duration ahead, Optional<Duration> back, int atMost) {
    return wide.submit(session -> DueRunScan.due(session, ahead, back, atMost));
  }

  @Override
  public CompletableFuture<List<RunId>> polled(Workspace workspace, UUID poll) {
    return polled
        .find(new PolledRuns.Poll(workspace, poll))
        .thenApply(found -> found.orElseGet(List::of));
  }

  @Override
  public CompletableFuture<Map<RunId, Long>> versions(Set<RunId> ids) {
    var asked = List.copyOf(ids);
    return reads.submit(
        WorkspaceScope.of(asked.stream().map(RunId::workspace).toList()),
        session -> {
          var versions = new HashMap<RunId, Long>();
          var pipeline = session.pipeline();
          pipeline.query(
              VERSIONS,
              KEYS.parameters(asked),
              row -> versions.put(asked.get(row.getInt(1) - 1), row.getLong(2)));
          pipeline.run();
          return versions;
        });
  }
}
