package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.Turns;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.IntentReads.InboxPosition;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitLine;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.security.AllowedNames;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.definition.PostgresDefinitionReads;
import dev.hapax.postgres.entity.PostgresEntityReads;
import dev.hapax.postgres.hook.HookTable;
import dev.hapax.postgres.hook.PostgresHookReads;
import dev.hapax.postgres.intent.PostgresIntentReads;
import dev.hapax.postgres.janitor.PostgresJanitorReads;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.lifecycle.LifecycleCache;
import dev.hapax.postgres.lifecycle.LifecycleSamples;
import dev.hapax.postgres.lifecycle.LifecycleVersionTable;
import dev.hapax.postgres.lifecycle.PostgresLifecycleReads;
import dev.hapax.postgres.limit.LimitLineTable;
import dev.hapax.postgres.limit.PostgresLimitReads;
import dev.hapax.postgres.monitoring.PostgresBacklogReads;
import dev.hapax.postgres.monitoring.PostgresDatabaseReads;
import dev.hapax.postgres.operation.PostgresOperationReads;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.run.PostgresRunReads;
import dev.hapax.postgres.run.RunSamples;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The statements of each read, outside of the ledger. */
@Tag("A6")
@Isolated // a snapshot tells the transactions of the whole server
class ReadSqlIT {
  private static final Workspace WORKSPACE = RunSamples.WORKSPACE;
  private static final Instant NOW = RunSamples.NOW;
  private static final TimeRange SOME_TIME =
      new TimeRange(Optional.of(NOW), Optional.of(NOW.plusSeconds(1)));
  private static final Optional<Duration> BACK = Optional.of(Duration.ofMinutes(1));
  private static final int SIZE = 50;
  private static final UUID ID = new UUID(1, 2);

  private static final Run RUN =
      RunSamples.run(
          RunSamples.everyKind("sample"),
          RunSamples.origin(RunSamples.PAYLOADS.getFirst(), Map.of()),
          new Phase.Ready(NOW, 1));

  private static final HookId TOKEN = HookId.of(WORKSPACE, "token");
  private static final LimitKey LIMIT = new LimitKey(WORKSPACE, "api", "x");
  private static final HookId LINE = HookId.of(WORKSPACE, "line");

  /** Rows that the reads find, beside a run and its token. */
  private static final String OTHER_ROWS =
      """
      INSERT INTO hapax.operation (workspace, id, state, attempt, nonce, fence, started_at, expires_at,
          until, fingerprint, account_changing, hold, account, operation, request_id)
        SELECT 'runs', '%1$s', state, 1, 1, 1, now(), now(), now(), '%1$s', false, true, 'a', 'name', 'r'
        FROM generate_series(2, 2) state;
      INSERT INTO hapax.operation (workspace, id, state, attempt, nonce, fence, started_at, expires_at,
          until, fingerprint, account_changing, hold, account, operation, request_id)
        VALUES ('runs', gen_random_uuid(), 3, 1, 1, 1, now(), now(), now(), '%1$s', false, true, 'a', 'name', 'r');
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, reason)
        VALUES ('runs', gen_random_uuid(), 1, now(), 'shop', 4, 0, '%1$s', '');
      INSERT INTO hapax.intent_outcome (workspace, id, verb, role, posted_at, tries, taken_at, reason)
        VALUES ('runs', '%1$s', 4, 'shop', now(), 0, now(), 'RUN_NOT_FOUND');
      INSERT INTO hapax.lifecycle (workspace, name, version, applied_at, applied_by, reason)
        VALUES ('runs', 'invoices', 1, now(), '', '');
      INSERT INTO hapax.janitor (workspace, module, declared_at, demands, declared_by, reason)
        VALUES ('runs', 'billing', now(), '{}', '', '');
      INSERT INTO hapax.entity (workspace, lifecycle, id, created_at, version, fence, hold, status)
        VALUES ('runs', 'invoices', '1', now(), 1, 1, 1, 'closed'), ('runs', 'invoices', '2', now(), 1, 1, 1, 'closed');
      """
          .formatted(ID);

  private static TestDatabase database;
  private static RecordedConnections connections;
  private static ReadExecutor reads;

  @BeforeAll
  static void start() throws SQLException {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
    write(DefinitionTable.create(), RUN.definition().id(), RUN.definition());
    write(new RunTable(new DefinitionCache(), new DatabaseClock()), RUN.id(), RUN);
    var hook = new Hook(RUN.id(), "", NOW, Duration.ofDays(1), Optional.empty());
    write(HookTable.create(), TOKEN, hook);
    var turns = new Turns(OptionalLong.of(7), 1);
    write(
        HookTable.create(),
        LINE,
        new Hook(RUN.id(), "", NOW, Duration.ofDays(1), Optional.empty(), turns));
    var none = Optional.<Instant>empty();
    write(
        LimitLineTable.create(),
        LIMIT.id(),
        new LimitLine(LIMIT, 1, Optional.empty(), OptionalLong.of(1), none, Optional.empty()));
    database.execute(OTHER_ROWS);
    var version = new LifecycleVersionId(new LifecycleId(WORKSPACE, "invoices"), 1);
    write(LifecycleVersionTable.create(), version, LifecycleSamples.random(new Random(1)));
    connections = new RecordedConnections(database.dataSource());
    reads = new ReadExecutor(connections.dataSource(), 1);
  }

  private static <K extends RecordKey<R>, R> void write(RecordTable<K, R> table, K key, R record)
      throws SQLException {
    try (var connection = database.connect()) {
      new TableCalls<>(connection, table).write(List.of(new Write<>(key, null, record)));
    }
  }

  @BeforeEach
  void forget() {
    connections.takeCalls();
  }

  @AfterEach
  void stripped() throws SQLException {
    // each statement without its condition on the workspace
    var wall = new WorkspaceWall(database, WORKSPACE.name());
    var calls = connections.takeCalls();
    assertThat(wall.verify(calls)).isNotEmpty();
    wall.verifyPlans(calls);
  }

  @AfterAll
  static void stop() {
    reads.close();
    database.close();
  }

  private static GoldenSql file(String name) {
    return new GoldenSql("read/" + name, connections);
  }

  @Test
  @DisplayName("given each read of operations, then this is sent")
  void operations() throws Exception {
    var operations = new PostgresOperationReads(reads, new WideReads(reads), new PendingIntents());
    var id = new OperationId(WORKSPACE, ID);
    var first = Optional.<OperationReads.Position>empty();
    var behind = Optional.of(new OperationReads.Position(NOW, ID));
    var live = Set.of(Operation.State.RELEASED);
    var every =
        new OperationFilter(live, false, Set.of("name"), Optional.of("code"), SOME_TIME, SOME_TIME);
    var sql = file("operations");
    sql.add("find", () -> operations.find(id).join());
    sql.add("list", () -> list(operations, OperationFilter.ALL, true, first));
    sql.add("list without payloads", () -> list(operations, OperationFilter.ALL, false, first));
    sql.add("list behind", () -> list(operations, OperationFilter.ALL, true, behind));
    sql.add(
        "list in doubt",
        () -> list(operations, OperationFilter.inDoubt(TimeRange.ALL), true, first));
    sql.add("list by every other filter", () -> list(operations, every, true, first));
    sql.add("ended", () -> operations.ended(Set.of(id)).join());
    sql.add("forgotten", () -> operations.forgotten(NOW, SIZE).join());
    sql.verify();
  }

  private static void list(
      OperationReads operations,
      OperationFilter filter,
      boolean payloads,
      Optional<OperationReads.Position> after) {
    operations.list(new OperationReads.Query(WORKSPACE, filter, payloads, SIZE, after)).join();
  }

  @Test
  @DisplayName("given each read of definitions, then this is sent")
  void definitions() throws Exception {
    var definitions = new PostgresDefinitionReads(reads, new DefinitionCache());
    var id = RUN.definition().id();
    var behind = Optional.of(new DefinitionReads.Position(NOW, "name", "1"));
    var sql = file("definitions");
    sql.add("latest", () -> definitions.latest(WORKSPACE, id.name()).join());
    sql.add(
        "find", () -> new PostgresDefinitionReads(reads, new DefinitionCache()).find(id).join());
    sql.add("list", () -> list(definitions, Optional.empty(), Optional.empty()));
    sql.add("list by name", () -> list(definitions, Optional.of("name"), Optional.empty()));
    sql.add("list behind", () -> list(definitions, Optional.empty(), behind));
    sql.verify();
  }

  private static void list(
      DefinitionReads definitions,
      Optional<String> name,
      Optional<DefinitionReads.Position> after) {
    definitions.list(new DefinitionReads.Query(WORKSPACE, name, SIZE, after)).join();
  }

  @Test
  @DisplayName("given each read of runs, then this is sent")
  void runs() throws Exception {
    var runs =
        new PostgresRunReads(
            reads, new WideReads(reads), new DefinitionCache(), new PendingIntents());
    var id = RUN.id();
    var sql = file("runs");
    sql.add("find", () -> runs.find(id).join());
    sql.add("keyed", () -> runs.keyed(RunKeyId.of(WORKSPACE, "key")).join());
    sql.add("versions", () -> runs.versions(Set.of(id)).join());
    sql.add("events", () -> runs.events(id, 0, SIZE).join());
    sql.add("endedBy", () -> runs.endedBy(new TaskClaim(id, 1, 2, new Fence(3))).join());
    sql.add("isReopened", () -> runs.isReopened(id, "request").join());
    sql.add("inbox", () -> runs.inbox(id, SIZE).join());
    sql.add("wakingSignal", () -> runs.wakingSignal(id, 1).join());
    sql.add("firstOf any type", () -> runs.firstOf(id, new SignalFilter.Any()).join());
    sql.add("firstOf a type", () -> runs.firstOf(id, new SignalFilter.OfType("type")).join());
    sql.add(
        "firstOf a token",
        () ->
            runs.firstOf(id, new SignalFilter.OfHook(new HookFingerprint("0123456789abcdef")))
                .join());
    sql.add(
        "firstOf a token name", () -> runs.firstOf(id, new SignalFilter.OfHookName("name")).join());
    sql.add("signalOutputs", () -> runs.signalOutputs(id, List.of(1, 2)).join());
    sql.add("signalOutputs of one step", () -> runs.signalOutputs(id, List.of(1)).join());
    sql.add("parts", () -> runs.parts(id, 1).join());
    sql.add("recorded", () -> runs.recorded(id, 1, 1).join());
    sql.add("ready of a queue", () -> runs.ready(WORKSPACE, "q", BACK, SIZE).join());
    sql.add(
        "ready of queues",
        () -> runs.ready(Set.of(new RunReads.Queue(WORKSPACE, "q")), BACK).join());
    sql.add("due", () -> runs.due(Duration.ofSeconds(1), BACK, SIZE).join());
    sql.add("polled", () -> runs.polled(WORKSPACE, ID).join());
    sql.verify();
  }

  @Test
  @DisplayName("given each filter of a list of runs, then this is sent")
  void listOfRuns() throws Exception {
    var open = Set.of(RunStatus.RUNNING, RunStatus.WAITING);
    var every =
        new RunFilter(
            Set.of(RunStatus.FAILED),
            Set.of("name"),
            Map.of("a", "1", "b", "2"),
            Optional.of("code"),
            false,
            SOME_TIME,
            SOME_TIME);
    var sql = file("runs_list");
    sql.add("all", () -> list(RunFilter.ALL, Optional.empty()));
    sql.add("behind", () -> list(RunFilter.ALL, Optional.of(ID)));
    sql.add("of some statuses", () -> list(RunFilter.of(open, TimeRange.ALL), Optional.empty()));
    sql.add("created then", () -> list(RunFilter.of(Set.of(), SOME_TIME), Optional.empty()));
    sql.add("by every filter", () -> list(every, Optional.empty()));
    sql.verify();
  }

  private static void list(RunFilter filter, Optional<UUID> after) {
    new PostgresRunReads(reads, new WideReads(reads), new DefinitionCache(), new PendingIntents())
        .list(new RunReads.Query(WORKSPACE, filter, SIZE, after))
        .join();
  }

  @Test
  @DisplayName("given each read of tokens, then this is sent")
  void hooks() throws Exception {
    var hooks = new PostgresHookReads(reads, new WideReads(reads), new DefinitionCache());
    var sql = file("hooks");
    sql.add("find", () -> hooks.find(TOKEN).join());
    sql.add("find with a line", () -> hooks.find(LINE).join());
    sql.add("ahead", () -> hooks.ahead(LINE, 2).join());
    sql.add("unowned", () -> hooks.unowned(Optional.empty(), SIZE).join());
    sql.add("held", () -> hooks.held(RUN.id()).join());
    sql.verify();
  }

  @Test
  @DisplayName("given each read of limits, then this is sent")
  void limits() throws Exception {
    var limits = new PostgresLimitReads(reads, new WideReads(reads));
    var sql = file("limits");
    sql.add("find", () -> limits.find(LIMIT).join());
    sql.add("ahead", () -> limits.ahead(LIMIT, 2).join());
    sql.add(
        "list",
        () ->
            limits
                .list(new LimitReads.Query(WORKSPACE, Optional.empty(), Optional.of(LIMIT), SIZE))
                .join());
    sql.add("places", () -> limits.hasPlaces().join());
    sql.add("free", () -> limits.free(Optional.empty(), SIZE).join());
    sql.add("due", () -> limits.due(Duration.ofSeconds(10), SIZE).join());
    sql.verify();
  }

  @Test
  @DisplayName("given each read of intents, then this is sent")
  void intents() throws Exception {
    var intents = new PostgresIntentReads(reads, new WideReads(reads));
    var id = new IntentId(WORKSPACE, ID);
    var own = InboxPosition.in(WORKSPACE);
    var all = intents.scan(own, SIZE).join();
    connections.takeCalls();
    var sql = file("intents");
    sql.add("workspaces", () -> intents.workspaces(Optional.empty()).join());
    sql.add("workspaces since", () -> intents.workspaces(Optional.of(all.snapshot())).join());
    sql.add("scan of a workspace", () -> intents.scan(own, SIZE).join());
    sql.add("next page", () -> intents.scan(all.next(own), SIZE).join());
    sql.add("scan since", () -> intents.scan(InboxPosition.since(all.snapshot()), SIZE).join());
    sql.add("find", () -> intents.find(id).join());
    sql.add("taken", () -> intents.taken(Set.of(id)).join());
    for (var state : IntentReads.State.values()) {
      sql.add("list " + state, () -> list(intents, state, Optional.empty()));
      sql.add("list %s behind".formatted(state), () -> list(intents, state, Optional.of(ID)));
    }
    sql.verify();
  }

  private static void list(IntentReads intents, IntentReads.State state, Optional<UUID> after) {
    intents.list(new IntentReads.Query(WORKSPACE, state, SIZE, after)).join();
  }

  @Test
  @DisplayName("given each read of lifecycles, then this is sent")
  void lifecycles() throws Exception {
    var lifecycles = new PostgresLifecycleReads(reads, new LifecycleCache());
    var id = new LifecycleId(WORKSPACE, "invoices");
    var sql = file("lifecycles");
    sql.add("find", () -> lifecycles.find(id).join());
    sql.add("version", () -> lifecycles.version(new LifecycleVersionId(id, 1)).join());
    sql.add("list", () -> lifecycles.list(WORKSPACE, SIZE, Optional.empty()).join());
    sql.add("list behind", () -> lifecycles.list(WORKSPACE, SIZE, Optional.of("a")).join());
    sql.add("count", () -> lifecycles.count(WORKSPACE).join());
    sql.verify();
  }

  @Test
  @DisplayName("given each read of janitors, then this is sent")
  void janitors() throws Exception {
    var janitors = new PostgresJanitorReads(reads, new WideReads(reads));
    var id = new JanitorId(WORKSPACE, "billing");
    var sql = file("janitors");
    sql.add("find", () -> janitors.find(id).join());
    sql.add("list of all workspaces", () -> janitors.list().join());
    sql.add("list", () -> janitors.list(WORKSPACE, SIZE, Optional.empty()).join());
    sql.add("list behind", () -> janitors.list(WORKSPACE, SIZE, Optional.of("a")).join());
    sql.add("count", () -> janitors.count(WORKSPACE).join());
    sql.verify();
  }

  @Test
  @DisplayName("given each read of entities, then this is sent")
  void entities() throws Exception {
    var entities = new PostgresEntityReads(reads, new PendingIntents());
    var id = new EntityId(WORKSPACE, "invoices", "1");
    var janitor = new JanitorId(WORKSPACE, "billing");
    var leases = new EntityReads.Leases(janitor, BACK);
    var fence = new Fence(3);
    var action = new ActionClaim(id, "close", "admin", "billing", 1, 2, fence, true, false, 0);
    var sql = file("entities");
    sql.add("find", () -> entities.find(id).join());
    sql.add("events", () -> entities.events(id, 0, SIZE).join());
    sql.add("endedBy an action", () -> entities.endedBy(action).join());
    sql.add(
        "endedBy a recovery",
        () -> entities.endedBy(new RecoveryClaim(id, 1, 2, fence, false)).join());
    sql.add("isReleased", () -> entities.isReleased(id, "request").join());
    sql.add("isDeleted", () -> entities.isDeleted(id, "request").join());
    sql.add("stranded", () -> entities.stranded(id.lifecycleId(), Set.of("closed"), SIZE).join());
    sql.add("stale", () -> entities.stale(leases, SIZE).join());
    sql.add("firstStale", () -> entities.firstStale(List.of(leases)).join());
    sql.add("free", () -> entities.free(Set.of(id)).join());
    sql.add("polled", () -> entities.polled(janitor, ID).join());
    sql.verify();
  }

  @Test
  @DisplayName("given each filter of a list of entities, then this is sent")
  void listOfEntities() throws Exception {
    var statuses = Set.of("closed");
    var none = Set.<String>of();
    var behind = Optional.of(new EntityId(WORKSPACE, "invoices", "1"));
    var of = Optional.of("invoices");
    var any = Optional.<String>empty();
    var first = Optional.<EntityId>empty();
    var sql = file("entities_list");
    sql.add("all", () -> list(any, none, false, Optional.empty(), first));
    sql.add("behind", () -> list(any, none, false, Optional.empty(), behind));
    sql.add("of a lifecycle", () -> list(of, none, false, Optional.empty(), first));
    sql.add("in a status", () -> list(any, statuses, false, Optional.empty(), first));
    sql.add(
        "in a status, of a lifecycle, behind",
        () -> list(of, statuses, false, Optional.empty(), behind));
    sql.add("claimed", () -> list(any, none, true, Optional.empty(), first));
    sql.add("claimed before", () -> list(any, none, true, Optional.of(NOW), first));
    sql.add("by every filter", () -> list(of, statuses, true, Optional.of(NOW), behind));
    sql.verify();
  }

  private static void list(
      Optional<String> lifecycle,
      Set<String> statuses,
      boolean claimed,
      Optional<Instant> before,
      Optional<EntityId> after) {
    new PostgresEntityReads(reads, new PendingIntents())
        .list(new EntityReads.Query(WORKSPACE, lifecycle, statuses, claimed, before, SIZE, after))
        .join();
  }

  @Test
  @DisplayName("given each read of the monitoring, then this is sent")
  void monitoring() throws Exception {
    var backlog = new PostgresBacklogReads(reads, new WideReads(reads));
    var problems = file("monitoring_problems");
    problems.add("problems", () -> backlog.problems(WORKSPACE).join());
    problems.add("servers", () -> backlog.servers().join());
    problems.add("workspaces", () -> backlog.stuck(new AllowedNames.All(), "", SIZE).join());
    problems.add(
        "named workspaces",
        () -> backlog.stuck(new AllowedNames.Listed(Set.of("shop")), "", SIZE).join());
    problems.verify();
    var sql = file("monitoring");
    sql.add("backlog", () -> backlog.backlog().join());
    sql.add("ready", () -> backlog.ready(WORKSPACE).join());
    sql.add("held", () -> backlog.held(WORKSPACE).join());
    sql.add("runs", () -> backlog.runs(WORKSPACE, Set.of()).join());
    sql.add("database info", () -> new PostgresDatabaseReads(reads).info().join());
    sql.verify();
  }
}
