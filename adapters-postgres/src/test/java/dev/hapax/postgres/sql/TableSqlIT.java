package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.hook.LineLengthId;
import dev.hapax.domain.hook.Turns;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentOutcome.StartDisposition;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitLine;
import dev.hapax.domain.limit.LimitSetting;
import dev.hapax.domain.limit.Slots;
import dev.hapax.domain.limit.Slots.Slot;
import dev.hapax.domain.limit.SlotsId;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.domain.operation.RememberedCalls;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.Signal;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalId;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.definition.LatestDefinitionTable;
import dev.hapax.postgres.entity.EntityDeletionTable;
import dev.hapax.postgres.entity.EntitySamples;
import dev.hapax.postgres.entity.EntityTable;
import dev.hapax.postgres.hook.HookTable;
import dev.hapax.postgres.hook.LineLengthTable;
import dev.hapax.postgres.hook.LineTable;
import dev.hapax.postgres.intent.IntentTable;
import dev.hapax.postgres.janitor.JanitorTable;
import dev.hapax.postgres.janitor.RoundTable;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.lifecycle.LifecycleCache;
import dev.hapax.postgres.lifecycle.LifecycleSamples;
import dev.hapax.postgres.lifecycle.LifecycleTable;
import dev.hapax.postgres.lifecycle.LifecycleVersionTable;
import dev.hapax.postgres.limit.LimitLineTable;
import dev.hapax.postgres.limit.LimitSettingTable;
import dev.hapax.postgres.limit.SlotTable;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.run.PartTable;
import dev.hapax.postgres.run.RunKeyTable;
import dev.hapax.postgres.run.RunSamples;
import dev.hapax.postgres.run.RunSignalTable;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The statements by which the ledger loads and writes the records of each table. */
@Tag("A6")
class TableSqlIT {
  private static final Workspace WORKSPACE = RunSamples.WORKSPACE;
  private static final Instant NOW = RunSamples.NOW;
  private final TestDatabase database = TestDatabase.create();
  private final RecordedConnections connections = new RecordedConnections(database.dataSource());
  private Connection connection;

  @BeforeEach
  void start() throws SQLException {
    Migrations.migrate(database.dataSource());
    connection = connections.dataSource().getConnection();
  }

  @AfterEach
  void stop() throws SQLException {
    // each statement without its condition on the workspace
    var wall = new WorkspaceWall(database, WORKSPACE.name());
    var calls = connections.takeCalls();
    assertThat(wall.verify(calls)).isNotEmpty();
    wall.verifyPlans(calls);
    connection.close();
    database.close();
  }

  private <K extends RecordKey<R>, R> TableCalls<K, R> calls(RecordTable<K, R> table) {
    return new TableCalls<>(connection, table);
  }

  /** Records every call: records are created, loaded and changed. */
  private <K extends RecordKey<R>, R> void verify(
      String file, RecordTable<K, R> table, List<Write<K, R>> created, List<Write<K, R>> changed)
      throws Exception {
    var sql = new GoldenSql("table/" + file, connections);
    calls(table)
        .write(sql, created)
        .load(sql, created.stream().map(Write::key).toList())
        .write(sql, changed);
    sql.verify();
  }

  private <K extends RecordKey<R>, R> void verify(
      String file, RecordTable<K, R> table, K key, R created, R changed) throws Exception {
    verify(
        file,
        table,
        List.of(new Write<>(key, null, created)),
        List.of(new Write<>(key, created, changed)));
  }

  private <K extends RecordKey<R>, R> void verifyInserted(
      String file, RecordTable<K, R> table, K key, R created) throws Exception {
    verify(file, table, List.of(new Write<>(key, null, created)), List.of());
  }

  @Test
  @DisplayName("given posted intents, when they are deferred and taken, then this is sent")
  void intents() throws Exception {
    var deferred = new IntentId(WORKSPACE, new UUID(7, 1));
    var taken = new IntentId(WORKSPACE, new UUID(7, 2));
    for (var id : List.of(deferred, taken)) {
      database.execute(
          """
          INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size)
          VALUES ('%s', '%s', 1, now(), 'shop', 1, 0)"""
              .formatted(WORKSPACE.name(), id.uuid()));
    }
    var origin = new IntentOrigin(IntentVerb.START_RUN, "shop", NOW);
    var posted = new Intent.Posted(origin, 0, Optional.empty());
    var owner = Optional.of(taken.run());
    var outcome =
        new IntentOutcome.Started(
            StartDisposition.SIGNALED, owner, owner, Optional.of(SignalDisposition.BUFFERED));
    var sql = new GoldenSql("table/intent", connections);
    calls(new IntentTable())
        .load(sql, List.of(deferred, taken))
        .write(
            sql,
            List.of(
                new Write<>(deferred, posted, new Intent.Posted(origin, 1, Optional.of(NOW))),
                new Write<>(taken, posted, new Intent.Taken(origin, 0, outcome, NOW))));
    sql.verify();
  }

  @Test
  @DisplayName(
      "given operations in every state, when they change to every other, then this is sent")
  void operation() throws Exception {
    try (var partitions =
        new ResultPartitions(
            new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN))) {
      partitions.maintain();
      var created = new ArrayList<Write<OperationId, Operation>>();
      var changed = new ArrayList<Write<OperationId, Operation>>();
      for (var before : states(1)) {
        for (var after : states(2)) {
          var id = new OperationId(WORKSPACE, UUID.randomUUID());
          created.add(new Write<>(id, null, before));
          changed.add(new Write<>(id, before, after));
        }
        var removed = new OperationId(WORKSPACE, UUID.randomUUID());
        created.add(new Write<>(removed, null, before));
        changed.add(new Write<>(removed, before, null));
      }
      verify("operation", new OperationTable(partitions), created, changed);
    }
  }

  private static List<Operation> states(long fence) {
    var subject =
        new OperationSubject(
            new OperationKey(WORKSPACE, "account", "operation", "request", true),
            Fingerprint.of(new byte[] {1}),
            Optional.of(
                new OperationSubject.Resolution(
                    "r",
                    new Attribution("ann", "why", new PrincipalName("api-key:billing")),
                    new Fence(7))),
            new RememberedCalls(
                List.of(
                    new RememberedCalls.Failed(1, new Fence(1), RememberedCalls.Kind.RETRYABLE)),
                List.of(new UUID(1, 1))));
    var now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    var grant =
        new Grant(fence, new Fence(fence), 3, "account", now, now.plus(Duration.ofHours(1)));
    var json = Optional.<Payload>of(RunSamples.PAYLOADS.getFirst());
    var binary = Optional.<Payload>of(RunSamples.PAYLOADS.getLast());
    var failure = Optional.of(new Failure("code", "message", json));
    var attempt = AttemptId.of("a");
    return List.of(
        new Operation.InProgress(subject, grant, attempt, now, OnStale.HOLD),
        new Operation.Indeterminate(
            subject, grant, now, Optional.of(new Failure("c", "m", binary)), Optional.of(attempt)),
        new Operation.Released(subject, grant, now, failure),
        new Operation.Completed(subject, grant, now, binary, Optional.of("carl")),
        new Operation.Rejected(subject, grant, now, failure.get()));
  }

  @Test
  @DisplayName("given a definition, when it is registered and loaded, then this is sent")
  void definition() throws Exception {
    var definition = RunSamples.everyKind("sample");
    verifyInserted("definition", DefinitionTable.create(), definition.id(), definition);
    var latest = new GoldenSql("table/latest_definition", connections);
    calls(new LatestDefinitionTable())
        .load(latest, List.of(new DefinitionName(WORKSPACE, "sample")));
    latest.verify();
  }

  @Test
  @DisplayName("given a lifecycle, when it is applied, retired and loaded, then this is sent")
  void lifecycle() throws Exception {
    var lifecycle = LifecycleSamples.random(new Random(1));
    var id = new LifecycleId(WORKSPACE, lifecycle.name());
    verifyInserted(
        "lifecycle_version",
        LifecycleVersionTable.create(),
        new LifecycleVersionId(id, 1),
        lifecycle);
    var retirement = Optional.of(new Retirement(Set.of("a"), 1, NOW));
    var by = new Attribution("ann", "why", new PrincipalName("api-key:billing"));
    verify(
        "lifecycle",
        LifecycleTable.create(new LifecycleCache()),
        id,
        new AppliedLifecycle(lifecycle, 1, NOW, by, retirement),
        new AppliedLifecycle(lifecycle, 1, NOW, by, Optional.empty()));
  }

  @Test
  @DisplayName("given a janitor, when it is declared and sweeps, then this is sent")
  void janitor() throws Exception {
    var id = new JanitorId(WORKSPACE, "billing");
    var contract =
        new JanitorContract("billing", Set.of("a"), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    var declared =
        new Janitor(
            Optional.of(contract),
            NOW,
            Map.of(),
            new Attribution("ann", "why", new PrincipalName("api-key:billing")));
    verify("janitor", JanitorTable.create(), id, declared, Janitor.NONE);
    verify(
        "janitor_round",
        RoundTable.create(),
        new SweepRoundId(id),
        new SweepRound(NOW, 1, true, Optional.of(NOW)),
        new SweepRound(NOW, 0, false, Optional.empty()));
  }

  @Test
  @DisplayName("given entities, when they are claimed, released and deleted, then this is sent")
  void entity() throws Exception {
    var ids =
        IntStream.range(0, 20)
            .mapToObj(i -> new EntityId(WORKSPACE, "invoices", "entity " + i))
            .toList();
    var created = new ArrayList<Write<EntityId, Entity>>();
    var changed = new ArrayList<Write<EntityId, Entity>>();
    for (var i = 0; i < ids.size(); i++) {
      var events = new EntitySamples(i).events();
      var before = new EntitySamples(i).entity(ids.get(i), 1).with(i == 0 ? events : List.of());
      var after = i == 1 ? null : new EntitySamples(ids.size() + i).entity(ids.get(i), 2);
      created.add(new Write<>(ids.get(i), null, before));
      changed.add(new Write<>(ids.get(i), before, after));
    }
    verify("entity", new EntityTable(), created, changed);
    verify(
        "entity_deletion",
        new EntityDeletionTable(),
        new EntityDeletionId(ids.get(1)),
        deletion(ids.get(1), 2),
        deletion(ids.get(1), 4));
  }

  private static EntityDeletion deletion(EntityId id, long version) {
    return new EntityDeletion(id, version, new Fence(version), NOW, "request", List.of());
  }

  @Test
  @DisplayName("given runs in every phase, when they change, then this is sent")
  void run() throws Exception {
    var definition = RunSamples.everyKind("sample");
    calls(DefinitionTable.create())
        .write(List.of(new Write<DefinitionId, Definition>(definition.id(), null, definition)));
    var origin = RunSamples.origin(RunSamples.PAYLOADS.getFirst(), Map.of("label", "value"));
    var created = new ArrayList<Write<RunId, Run>>();
    var changed = new ArrayList<Write<RunId, Run>>();
    var phases = RunSamples.phases();
    for (var i = 0; i < phases.size(); i++) {
      var run = RunSamples.run(definition, origin, phases.get(i));
      var before =
          RunSamples.with(run, 7, RunSamples.STATE, Optional.of(RunSamples.PAYLOADS.get(i % 4)));
      var events = i == 0 ? RunSamples.events(7, RunSamples.changes()) : List.<RunEvent>of();
      created.add(new Write<>(run.id(), null, before.with(events)));
      var after =
          i % 2 == 0
              ? RunSamples.with(before, 8, phases.get((i + 1) % phases.size()))
              : RunSamples.with(before, 8, run.state(), run.output());
      changed.add(new Write<>(run.id(), before, after));
    }
    var waiting = RunSamples.run(definition, origin, new Phase.Blocked(1, NOW, 1));
    created.add(new Write<>(waiting.id(), null, waiting));
    changed.add(
        new Write<>(
            waiting.id(), waiting, RunSamples.with(waiting, 9, new Phase.Cancelled(NOW, ""))));
    verify("run", new RunTable(new DefinitionCache(), new DatabaseClock()), created, changed);
  }

  @Test
  @DisplayName("given limits, their slots and settings, when they change, then this is sent")
  void limits() throws Exception {
    var run = RunSamples.newRun();
    var key = new LimitKey(WORKSPACE, "api", "x");
    verify(
        "limit_line",
        LimitLineTable.create(),
        key.id(),
        new LimitLine(
            key, 1, Optional.empty(), OptionalLong.of(1), Optional.empty(), Optional.empty()),
        new LimitLine(
            key,
            0,
            Optional.of(new Rate(60, Duration.ofMinutes(1))),
            OptionalLong.of(2),
            Optional.of(NOW),
            Optional.of(new LimitLine.Due(NOW.plusSeconds(1), 2))));
    var dead = List.of(new Slot(1, run));
    var table = new SlotTable();
    var id = new SlotsId(key.id());
    verify(
        "slot",
        table,
        List.of(new Write<>(id, null, new Slots(dead, List.of()))),
        List.of(
            new Write<>(
                id, new Slots(List.of(), dead), new Slots(List.of(new Slot(2, run)), List.of()))));
    verify(
        "limit_setting",
        LimitSettingTable.create(),
        key,
        new LimitSetting(
            OptionalInt.of(1),
            Optional.of(new Rate(60, Duration.ofMinutes(1))),
            NOW,
            new Attribution("a", "b", new PrincipalName("c"))),
        new LimitSetting(OptionalInt.empty(), Optional.empty(), NOW, Attribution.SERVER));
  }

  @Test
  @DisplayName("given keys, tokens, signals and named steps, when they change, then this is sent")
  void leadingToRuns() throws Exception {
    var run = RunSamples.newRun();
    verify(
        "run_key",
        RunKeyTable.create(),
        RunKeyId.of(WORKSPACE, "key"),
        new RunKey(run, Fingerprint.of(new byte[] {1}), NOW),
        new RunKey(run, Fingerprint.of(new byte[] {2}), NOW));
    verify(
        "hook",
        HookTable.create(),
        HookId.of(WORKSPACE, "token"),
        new Hook(run, "name", NOW, Duration.ofDays(1), Optional.of(NOW)),
        new Hook(run, "", NOW, Duration.ZERO, Optional.empty(), new Turns(OptionalLong.of(7), 1)));
    var line = new LineId(HookId.of(WORKSPACE, "token"));
    verify(
        "place",
        new LineTable(),
        line,
        new Line(List.of(new Place(1, run), new Place(2, run)), false, List.of()),
        new Line(List.of(new Place(2, run), new Place(3, run)), false, List.of()));
    var length = new GoldenSql("table/line_length", connections);
    calls(new LineLengthTable())
        .load(length, List.of(new LineLengthId(HookId.of(WORKSPACE, "token"))));
    length.verify();
    verify(
        "run_signal",
        RunSignalTable.create(),
        new SignalId(run, "signal"),
        new Signal(1, "type", Optional.of(new SourceHook(run.uuid(), "name")), false),
        new Signal(1, "type", Optional.of(new SourceHook(run.uuid(), "name")), true));
    verify(
        "run_step",
        PartTable.create(),
        new PartId(run, 1, "name"),
        new Part.Begun(1, 1, 1, Optional.empty()),
        new Part.Completed(2, 1, new Payload.Json("1"), PartTraits.NONE));
  }
}
