package dev.hapax.postgres.sql;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.PassTurn;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.intent.IntentCommand;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.TakeIntent;
import dev.hapax.domain.intent.TakeOutcome;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.definition.LatestDefinitionTable;
import dev.hapax.postgres.hook.HookTable;
import dev.hapax.postgres.hook.LineLengthTable;
import dev.hapax.postgres.hook.LineTable;
import dev.hapax.postgres.intent.IntentTable;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.limit.LimitLineTable;
import dev.hapax.postgres.limit.LimitSettingTable;
import dev.hapax.postgres.limit.SlotTable;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.run.PartTable;
import dev.hapax.postgres.run.RunKeyTable;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import dev.hapax.postgres.run.RunSignalTable;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The round trips of single commands, from the locks to the commit. */
class CommandSqlIT {
  private static final Workspace WORKSPACE = RunSamples.WORKSPACE;
  private static final Actor ACTOR = Actor.caller("ann");
  private static final Definition DEFINITION =
      RunSamples.definition(new DefinitionId(WORKSPACE, "order", "1"), RunSamples.NOW);
  private static final Payload INPUT = new Payload.Json("{}");
  private static final Optional<Payload> OUTPUT = Optional.of(new Payload.Json("42"));
  private static final NewSignal SIGNAL = new NewSignal("s", "paid", Optional.empty());
  private static final long NONCE = 7;

  private final TestDatabase database = TestDatabase.create();
  private final RecordedConnections connections = new RecordedConnections(database.dataSource());
  private ResultPartitions partitions;
  private CommitNotifier signal;
  private PostgresLedger ledger;

  @BeforeEach
  void start() {
    Migrations.migrate(database.dataSource());
    database.execute(
        """
        INSERT INTO hapax.sql_grant
          VALUES (session_user, '%s', '{start_run,complete_operation}', now(), 'test',
            session_user::regrole);
        SELECT hapax.apply_sql_grants()"""
            .formatted(WORKSPACE.name()));
    partitions =
        new ResultPartitions(new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN));
    partitions.maintain();
    signal = new CommitNotifier(database.dataSource(), database.dataSource());
    ledger =
        new PostgresLedger(
            connections.dataSource(),
            List.of(
                new IntentTable(),
                new OperationTable(partitions),
                DefinitionTable.create(),
                new LatestDefinitionTable(),
                RunKeyTable.create(),
                HookTable.create(),
                LimitSettingTable.create(),
                LimitLineTable.create(),
                new LineTable(),
                new LineLengthTable(),
                new SlotTable(),
                new RunTable(new DefinitionCache(), new DatabaseClock()),
                RunSignalTable.create(),
                PartTable.create()),
            signal,
            // a busy machine makes the same round trips
            new DatabaseFence(0, 1, new DatabaseClock(Duration.ofSeconds(10))),
            new DatabaseOutage(connections.dataSource()),
            new PendingIntents(),
            PostgresLedger.Settings.DEFAULT.withCommitters(1));
    // its first batch also sends what a committer sends rarely
    run(RunNodes.write(DEFINITION.id(), DEFINITION));
  }

  @AfterEach
  void stop() {
    ledger.close();
    signal.close();
    partitions.close();
    database.close();
  }

  private <O> O run(Command<O> command) {
    return ledger.submit(command).orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static StartRun start(Optional<StartRun.Key> key) {
    return start(RunSamples.newRun(), key);
  }

  private static StartRun start(RunId run, Optional<StartRun.Key> key) {
    return new StartRun(
        run, DEFINITION, INPUT, Map.of(), Optional.empty(), key, Optional.empty(), ACTOR);
  }

  private static StartRun.Key key() {
    return key("key", 1, OnKeyMismatch.ERROR);
  }

  private static StartRun.Key key(String key, int request, OnKeyMismatch onMismatch) {
    return new StartRun.Key(
        RunKeyId.of(WORKSPACE, key),
        Fingerprint.of(new byte[] {(byte) request}),
        Duration.ofDays(1),
        onMismatch);
  }

  private static StartRunWithHooks startWithToken() {
    return startWithToken(new ConflictPolicy.Reject());
  }

  private static StartRunWithHooks startWithToken(ConflictPolicy policy) {
    var token = new Wanted(HookId.of(WORKSPACE, "token"), "", Duration.ZERO, policy);
    return new StartRunWithHooks(start(Optional.empty()), List.of(token));
  }

  private Run created(Command<StartOutcome> start) {
    return ((StartOutcome.Created) run(start)).run();
  }

  private TaskClaim claimed(RunId run) {
    var claim = new ClaimTask(run, "q", "worker", Optional.empty(), NONCE, PrincipalName.NONE);
    return ((ClaimTaskOutcome.Claimed) run(claim)).run().claim().orElseThrow();
  }

  private static CompleteTask complete(TaskClaim claim) {
    return new CompleteTask(
        claim,
        OUTPUT,
        Optional.empty(),
        List.of(),
        false,
        OptionalLong.empty(),
        PrincipalName.NONE);
  }

  private OperationClaim begun(OperationId id) {
    var begin =
        new BeginOperation(
            id,
            new OperationKey(WORKSPACE, "ann", "orders/Place", id.toString(), false),
            Fingerprint.of(new byte[] {1}),
            AttemptId.of("mine"),
            NONCE,
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            OnStale.TAKE_OVER,
            OnReleasedMismatch.KEY_REUSED);
    return ((BeginOutcome.Acquired) run(begin)).claim();
  }

  /** Calls a function in a transaction of the caller; returns the ticket. */
  private IntentId post(String prefix, String call, Object... arguments) throws SQLException {
    try (var connection = connections.dataSource().getConnection();
        var statement = connection.prepareStatement(call)) {
      for (var i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      try (var ticket = statement.executeQuery()) {
        ticket.next();
        var read = "SELECT hapax.parse_id('%s', '%s')".formatted(prefix, ticket.getString(1));
        return new IntentId(WORKSPACE, UUID.fromString(database.query(read)));
      }
    }
  }

  private IntentId postStart() throws SQLException {
    return post("run", "SELECT hapax.start_run(?, ?)", WORKSPACE.name(), DEFINITION.id().name());
  }

  private IntentId postCompletion(OperationClaim claim) throws SQLException {
    return post(
        "intent",
        "SELECT hapax.complete_operation(?, ?, ?, ?::jsonb)",
        WORKSPACE.name(),
        claimId(claim),
        claim.fence().value(),
        "42");
  }

  /** The id of a claim as the API prints it. */
  private static String claimId(OperationClaim claim) {
    var workspace = WORKSPACE.name().getBytes(StandardCharsets.UTF_8);
    var bytes =
        ByteBuffer.allocate(32 + workspace.length)
            .putLong(claim.id().hash().getMostSignificantBits())
            .putLong(claim.id().hash().getLeastSignificantBits())
            .putLong(claim.nonce())
            // the lease, which only servers read
            .putLong(0)
            .put(workspace);
    return "op_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  private TakeOutcome.Taken take(IntentId intent, IntentCommand asked) {
    return (TakeOutcome.Taken) run(new TakeIntent(intent, asked));
  }

  @Test
  @DisplayName("given one command at a time, then these round trips are made [turns-F13]")
  void commands() throws Exception {
    var operation = new OperationId(WORKSPACE, new UUID(1, 1));
    var golden = new GoldenRoundTrips("commands", connections);

    var claim = golden.add("BeginOperation", () -> begun(operation));
    golden.add("BeginOperation of the holder again", () -> begun(operation));
    golden.add(
        "CompleteOperation", () -> run(new CompleteOperation(claim, OUTPUT, Optional.empty())));

    var run = golden.add("StartRun", () -> created(start(Optional.empty())).id());
    golden.add("StartRun with an idempotency key", () -> created(start(Optional.of(key()))));
    golden.add("StartRun with the key again", () -> run(start(Optional.of(key()))));
    var failed = created(start(Optional.of(key("corrected", 1, OnKeyMismatch.ERROR)))).id();
    run(new ControlRun(failed, Verb.CANCEL, "", OptionalLong.empty(), ACTOR));
    golden.add(
        "StartRun that takes the key of a cancelled run",
        () -> run(start(Optional.of(key("corrected", 2, OnKeyMismatch.RESTART_FAILED)))));
    var owner = golden.add("StartRun with a token", () -> created(startWithToken()));
    golden.add("StartRun with the token again", () -> run(startWithToken()));
    var queue = new ConflictPolicy.Queue(10, false);
    golden.add("StartRun that waits for the token", () -> run(startWithToken(queue)));
    golden.add("StartRun that waits behind it", () -> run(startWithToken(queue)));
    run(new ControlRun(owner.id(), Verb.CANCEL, "", OptionalLong.empty(), ACTOR));
    golden.add(
        "PassTurn after the end of the owner",
        () ->
            run(
                new PassTurn(
                    startWithToken().wanted().getFirst().hook(), Optional.of(owner.id()))));
    golden.add("SignalRun", () -> run(SIGNAL.to(run, ACTOR)));
    var task = golden.add("PollTask, once it has found this run", () -> claimed(run));
    golden.add("CompleteTask", () -> run(complete(task)));

    var start = golden.add("a caller of hapax.start_run", this::postStart);
    golden.add(
        "the taking of its intent",
        () -> take(start, new IntentCommand.Start(start(start.run(), Optional.empty()))));
    var held = begun(new OperationId(WORKSPACE, new UUID(1, 2)));
    var completion = golden.add("a caller of hapax.complete_operation", () -> postCompletion(held));
    golden.add(
        "the taking of its intent",
        () ->
            take(
                completion,
                new IntentCommand.OperationCompletion(
                    new CompleteOperation(held, OUTPUT, Optional.empty()))));
    golden.verify();
  }
}
