package dev.hapax.domain.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.PendingRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.ReopenRun;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.SettleStep;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs that want the same tokens. A batch gets only the records that its commands name, as from a
 * real ledger, and what has to know a run first is sent again. After each batch every run is
 * checked against a fold of its history.
 */
final class Rivals {
  static final Instant BEGINNING = Instant.parse("2026-01-01T12:00:00Z");
  static final Duration DAY = Duration.ofDays(1);
  static final Actor BY = Actor.caller("ann");
  static final HookId TOKEN = token("order 4711");
  static final Failure FAILURE = new Failure("DECLINED", "no", Optional.empty());
  static final RunKeyId KEY = RunKeyId.of(Workspace.DEFAULT, "request 1");

  /** Work for a worker. */
  static final Definition WORK = Steps.definition(Steps.task("a"), Steps.task("b"));

  /** Waits for a signal. */
  static final Definition WAITS = Steps.definition(Steps.signal("wait", "go"));

  private static final Payload INPUT = new Payload.Json("{}");
  private static final int ROUNDS = 20;

  private final Map<RecordKey<?>, Object> records = new HashMap<>();
  private final Map<RunId, List<RunEvent>> histories = new LinkedHashMap<>();
  private final Map<RunId, Run> folded = new HashMap<>();
  private Instant now = BEGINNING;
  private long drawn;
  private int batches;
  private int window = Line.LOADED;

  /** The turns to pass since the last call of {@link #takeHints}. */
  private final List<PassTurn> hints = new ArrayList<>();

  static HookId token(String token) {
    return HookId.of(Workspace.DEFAULT, token);
  }

  Instant now() {
    return now;
  }

  Rivals later(Duration time) {
    now = now.plus(time);
    return this;
  }

  <O> O does(Command<O> command) {
    return doAll(List.of(command)).getFirst();
  }

  /** All in one batch; what led to other records is decided with the next one. */
  <O> List<O> doAll(List<? extends Command<? extends O>> commands) {
    var outcomes = new ArrayList<@Nullable O>();
    commands.forEach(_ -> outcomes.add(null));
    var open = new LinkedHashMap<Integer, Command<? extends O>>();
    for (var i = 0; i < commands.size(); i++) {
      open.put(i, commands.get(i));
    }
    batches = 0;
    for (var round = 0; !open.isEmpty(); round++) {
      batches++;
      assertThat(round).as("knows enough at last: " + open.values()).isLessThan(ROUNDS);
      var batch = new Batch(loaded(open.values().stream().toList()), now);
      for (var entry : List.copyOf(open.entrySet())) {
        checkPending(entry.getValue());
        try {
          outcomes.set(entry.getKey(), batch.decide(entry.getValue()));
          open.remove(entry.getKey());
        } catch (UnlockedRecordsException e) {
          open.put(entry.getKey(), e.widened(entry.getValue()));
        }
      }
      keep(batch);
    }
    return List.copyOf(outcomes);
  }

  /** As if a run of the command were completed in SQL, and the command came first in its batch. */
  private <O> void checkPending(Command<O> command) {
    var loaded = loaded(List.of(command));
    try {
      var outcome = new Batch(loaded, now).decide(command);
      loaded.keySet().stream()
          .filter(RunId.class::isInstance)
          .forEach(run -> PendingRecords.check(loaded, run, command, now, outcome));
    } catch (UnlockedRecordsException e) {
      // decided with more records
    }
  }

  /** How many batches the last commands took. */
  int batches() {
    return batches;
  }

  private Map<RecordKey<?>, Object> loaded(List<? extends Command<?>> commands) {
    var loaded = new HashMap<RecordKey<?>, Object>();
    for (var command : commands) {
      for (var key : command.keys()) {
        var record =
            switch (key) {
              case LineId line -> firstOf(waiting(new HookId(line.workspace(), line.hash())));
              case LineLengthId(var hook) -> length(hook);
              default -> records.get(key);
            };
        if (record != null) {
          loaded.put(key, record);
        }
      }
    }
    return loaded;
  }

  /** Loads at most this many places of a line. */
  Rivals window(int places) {
    window = places;
    return this;
  }

  /** The places of the runs that wait for a token. */
  List<Line.Place> waiting(HookId hook) {
    return get(new LineId(hook)).orElse(Line.EMPTY).joined(new LineId(hook), this::find).first();
  }

  private Optional<Object> find(RecordKey<?> key) {
    return Optional.ofNullable(records.get(key));
  }

  private @Nullable Line firstOf(List<Line.Place> places) {
    return places.isEmpty()
        ? null
        : new Line(places.stream().limit(window).toList(), places.size() > window, List.of());
  }

  private @Nullable LineLength length(HookId hook) {
    var last = get(hook).map(Hook::turns).orElse(Turns.NONE).last();
    return last.isEmpty() ? null : new LineLength(waiting(hook).size(), last.getAsLong());
  }

  private void keep(LineId id, @Nullable Object before, Line after) {
    var changes = after.since(before instanceof Line line ? line : Line.EMPTY);
    var all =
        new ArrayList<>(
            get(id).orElse(Line.EMPTY).first().stream()
                .filter(place -> place.turn() > changes.left().orElse(Long.MIN_VALUE))
                .toList());
    all.addAll(changes.added());
    assertThat(all).as("in order").isSortedAccordingTo(Comparator.comparingLong(Line.Place::turn));
    records.put(id, new Line(all, false, List.of()));
  }

  /** The turns that the last commits called for. */
  List<PassTurn> takeHints() {
    var taken = List.copyOf(hints);
    hints.clear();
    return taken;
  }

  /** Passes turns until no commit calls for another one. */
  void passTurns() {
    for (var open = takeHints(); !open.isEmpty(); open = takeHints()) {
      doAll(open);
    }
  }

  private void keep(Batch batch) {
    PassTurn.after(batch.changes()).forEach(hints::add);
    batch
        .changes()
        .forEach(
            (key, change) -> {
              assertThat(change.after()).as("nothing is removed: " + key).isNotNull();
              if (change.after() instanceof Run after) {
                var version = change.before() instanceof Run before ? before.version() : 0;
                assertThat(after.version()).isEqualTo(version + after.newEvents().size());
                after.newEvents().forEach(event -> tell(after, event));
                records.put(key, after.with(List.of()));
                assertThat(plain(after)).isEqualTo(plain(folded(after)));
              } else if (key instanceof LineId id && change.after() instanceof Line line) {
                keep(id, change.before(), line);
              } else {
                records.put(key, change.after());
              }
            });
  }

  private void tell(Run run, RunEvent event) {
    var history = histories.computeIfAbsent(run.id(), _ -> new ArrayList<>());
    assertThat(event.version()).as("no gap, no fork").isEqualTo(history.size() + 1);
    history.add(event);
    var before = folded.get(run.id());
    folded.put(
        run.id(),
        before == null
            ? Run.created(run.id(), run.definition(), run.origin(), event.actor())
            : before.after(event));
  }

  /** The retention of the key is not an event. */
  private Run folded(Run run) {
    return folded.getOrDefault(run.id(), run);
  }

  private static Run plain(Run run) {
    var phase =
        run.phase() instanceof Phase.Waiting(var until, var signal, _)
            ? new Phase.Waiting(until, signal, true)
            : run.phase();
    return new Run(
        run.id(),
        run.definition(),
        WITHOUT_MEMORY,
        run.version(),
        run.position(),
        phase,
        run.state(),
        run.output(),
        run.inbox(),
        run.named(),
        withoutMarks(run.tokens()),
        run.startedAt(),
        run.deadlines(),
        run.details(),
        run.stepTurn(),
        run.definitionTurn(),
        List.of());
  }

  /** A mark is not an event. */
  private static HookTokens withoutMarks(HookTokens tokens) {
    return new HookTokens(
        tokens.supersedes(),
        tokens.supersededBy(),
        tokens.keyLost(),
        tokens.retention(),
        tokens.awaited(),
        Collections.emptySortedSet());
  }

  private static final RunOrigin WITHOUT_MEMORY =
      new RunOrigin(new RunParameters(INPUT, Map.of()), BEGINNING, BEGINNING, BEGINNING);

  // current state

  @SuppressWarnings("unchecked") // a key's type parameter is its record's type
  <R> Optional<R> get(RecordKey<R> key) {
    return Optional.ofNullable((R) records.get(key));
  }

  Run run(RunId id) {
    return get(id).orElseThrow();
  }

  Set<RunId> runs() {
    return new LinkedHashSet<>(histories.keySet());
  }

  List<RunEvent> history(RunId id) {
    return List.copyOf(histories.getOrDefault(id, List.of()));
  }

  List<RunChange> changes(RunId id) {
    return history(id).stream().map(RunEvent::change).toList();
  }

  Map<RecordKey<?>, Object> records() {
    return Map.copyOf(records);
  }

  /** The result of a read. */
  Optional<RunId> owner(HookId token) {
    return get(token)
        .flatMap(hook -> get(hook.run()).filter(run -> hook.isOwnedBy(run, now)).map(Run::id));
  }

  /** Replaces the record without an event. */
  <R> void put(RecordKey<R> key, R record) {
    records.put(key, record);
  }

  /** As a purge does. */
  void forget(RecordKey<?> key) {
    records.remove(key);
  }

  // commands with defaults

  RunId newRun() {
    return new RunId(Workspace.DEFAULT, new UUID(0x0123456789AB7000L, ++drawn));
  }

  StartRun start(Definition definition) {
    return new StartRun(
        newRun(),
        definition,
        INPUT,
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        BY);
  }

  static StartRun keyed(StartRun start, RunKeyId key, int request, Duration retention) {
    return new StartRun(
        start.run(),
        start.definition(),
        start.parameters().input(),
        start.parameters().labels(),
        start.startAt(),
        Optional.of(new StartRun.Key(key, Fingerprint.of(new byte[] {(byte) request}), retention)),
        start.signal(),
        start.actor());
  }

  /** A start that may take the key of a run that failed or was cancelled. */
  static StartRun restarting(StartRun start, RunKeyId key, int request) {
    return new StartRun(
        start.run(),
        start.definition(),
        start.parameters().input(),
        start.parameters().labels(),
        start.startAt(),
        Optional.of(
            new StartRun.Key(
                key,
                Fingerprint.of(new byte[] {(byte) request}),
                DAY,
                OnKeyMismatch.RESTART_FAILED)),
        start.signal(),
        start.actor());
  }

  static StartRun with(StartRun start, NewSignal signal) {
    return new StartRun(
        start.run(),
        start.definition(),
        start.parameters().input(),
        start.parameters().labels(),
        start.startAt(),
        start.key(),
        Optional.of(signal),
        start.actor());
  }

  static NewSignal signal(String id) {
    return new NewSignal(id, "go", Optional.of(new Payload.Json("\"%s\"".formatted(id))));
  }

  /** A start whose run waits for these tokens. */
  StartRunWithHooks queue(int limit, boolean supersedes, HookId... tokens) {
    return new StartRunWithHooks(
        start(WORK),
        Stream.of(tokens)
            .map(
                token ->
                    new StartRunWithHooks.Wanted(
                        token, "", Duration.ZERO, new ConflictPolicy.Queue(limit, supersedes)))
            .toList());
  }

  /** Starts a run that waits for these tokens, or has them. */
  RunId queues(HookId... tokens) {
    var start = queue(ConflictPolicy.Queue.MAX_LIMIT, false, tokens);
    does(start);
    return start.start().run();
  }

  StartRunWithHooks own(Definition definition, Duration retention, ConflictPolicy policy) {
    return new StartRunWithHooks(
        start(definition), List.of(new StartRunWithHooks.Wanted(TOKEN, "", retention, policy)));
  }

  /** A run that owns the token, which must be free. */
  RunId owner(Definition definition, Duration retention) {
    var outcome = does(own(definition, retention, new ConflictPolicy.Reject()));
    assertThat(outcome).isInstanceOf(StartOutcome.Created.class);
    return owner(TOKEN).orElseThrow();
  }

  /** A run without a token. */
  RunId runs(Definition definition) {
    var start = start(definition);
    does(start);
    return start.run();
  }

  CreateHook create(RunId run, Optional<ConflictPolicy.Supersede> supersede) {
    return new CreateHook(run, Optional.empty(), TOKEN, "", Duration.ZERO, supersede, BY);
  }

  /** Of a signal that was sent to the token. */
  static final SourceHook SOURCE = new SourceHook(TOKEN.hash(), "");

  static SignalHook signalHook(String signal) {
    return new SignalHook(TOKEN, signal(signal), Optional.empty(), BY);
  }

  static DisposeHook dispose(Optional<RunId> only) {
    return new DisposeHook(TOKEN, only, "", BY);
  }

  /** The retry command as {@code Hooks} creates it. */
  ReopenRunWithHooks retry(RunId run) {
    return reopen(
        run, new RetryRun(run, "request " + drawn++, "because", OptionalLong.empty(), BY));
  }

  /** The command that settles the run's current step. */
  ReopenRunWithHooks settle(RunId run, RunChange.Verdict verdict) {
    return reopen(
        run,
        new SettleStep(
            run,
            run(run).step().map(StepDefinition::name).orElse("none"),
            Optional.empty(),
            verdict,
            "request " + drawn++,
            "because",
            OptionalLong.empty(),
            BY));
  }

  private ReopenRunWithHooks reopen(RunId run, ReopenRun command) {
    var held = new LinkedHashMap<HookId, Held>();
    for (var change : changes(run)) {
      if (change instanceof RunChange.HookCreated(var hash, var name, var retention, _)) {
        var hook = new HookId(Workspace.DEFAULT, hash);
        held.put(hook, new Held(hook, name, retention));
      } else if (change instanceof RunChange.HookDisposed(var hash, _)) {
        held.remove(new HookId(Workspace.DEFAULT, hash));
      }
    }
    return new ReopenRunWithHooks(command, run(run).version(), List.copyOf(held.values()));
  }

  /** A worker gets the step. */
  TaskClaim take(RunId run) {
    does(new ClaimTask(run, Steps.QUEUE, "worker", Optional.empty(), ++drawn, PrincipalName.NONE));
    return run(run).claim().orElseThrow();
  }

  void completes(RunId run) {
    while (!run(run).hasEnded()) {
      does(complete(take(run)));
    }
  }

  static CompleteTask complete(TaskClaim claim) {
    return new CompleteTask(
        claim,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        false,
        OptionalLong.empty(),
        PrincipalName.NONE);
  }

  void fails(RunId run) {
    does(new FailTask(take(run), FAILURE, true, Optional.empty(), 0.5, PrincipalName.NONE));
    assertThat(run(run).hasEnded()).isTrue();
  }

  /** The run fails while it waits, as by a timeout. */
  void failsInLine(RunId run) {
    var before = run(run);
    var event =
        new RunEvent(
            before.version() + 1, now, Actor.SERVER, 0, 0, new RunChange.RunFailed(FAILURE));
    var failed = before.after(event);
    tell(failed, event);
    records.put(run, failed);
    PassTurn.after(Map.of(run, new Batch.Change(before, failed))).forEach(hints::add);
  }

  void steers(RunId run, ControlRun.Verb verb) {
    does(new ControlRun(run, verb, "because", OptionalLong.empty(), BY));
  }

  void cancels(RunId run) {
    steers(run, ControlRun.Verb.CANCEL);
  }
}
