package dev.hapax.domain.limit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.hook.LineLength;
import dev.hapax.domain.hook.LineLengthId;
import dev.hapax.domain.hook.PassTurn;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.json.JsonPointer;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.ReportedParts;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.SuspendTask;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs at limited steps. A batch gets only the records that its commands name, and of a line only
 * the first places that count. After each batch every run is checked against a fold of its history.
 */
final class LimitedRuns {
  static final Instant BEGINNING = Instant.parse("2026-01-01T12:00:00Z");
  static final Actor BY = Actor.caller("ann");
  static final Failure FAILURE = new Failure("BUSY", "again", Optional.empty());
  static final String LABEL = "tenant";
  private static final int ROUNDS = 20;

  private final Map<RecordKey<?>, Object> records = new HashMap<>();
  private final Map<RunId, Run> folded = new LinkedHashMap<>();
  private final Map<RunId, RunChange> lastChanges = new HashMap<>();
  private final Set<Command<?>> hints = new LinkedHashSet<>();
  private Instant now = BEGINNING;
  private long drawn;
  private int window = Line.LOADED;

  static Limit limit(String name, int maxRunning) {
    return new Limit(name, new Limit.LabelKey(LABEL), maxRunning, Optional.empty());
  }

  /** At most one start in each of these times, and any number of runs. */
  static Limit paced(String name, int maxRunning, Duration interval) {
    var rate = new Rate(10, interval.multipliedBy(10));
    return new Limit(name, new Limit.LabelKey(LABEL), maxRunning, Optional.of(rate));
  }

  static Limit ofInput(String name, String pointer, int maxRunning) {
    return new Limit(
        name, new Limit.InputKey(new JsonPointer(pointer)), maxRunning, Optional.empty());
  }

  static StepDefinition step(String name, Limit... limits) {
    var work =
        new StepDefinition.Work(
            Steps.QUEUE, Steps.LEASE, Steps.RETRY, Optional.empty(), List.of(limits));
    return new StepDefinition(name, new StepDefinition.Task(work));
  }

  static LimitKey key(String name, String value) {
    return new LimitKey(Workspace.DEFAULT, name, value);
  }

  static LimitKey ofDefinitions(String name, String value) {
    return new LimitKey(Workspace.DEFAULT, true, name, value);
  }

  /** A definition with limits of its own. */
  static Definition limited(List<Limit> limits, StepDefinition... steps) {
    return new Definition(
        new DefinitionId(Workspace.DEFAULT, "limited", "1"),
        List.of(steps),
        Optional.empty(),
        limits,
        Instant.EPOCH,
        Attribution.SERVER);
  }

  Instant now() {
    return now;
  }

  LimitedRuns later(Duration time) {
    now = now.plus(time);
    return this;
  }

  /** Loads at most this many places of a line. */
  LimitedRuns window(int places) {
    window = places;
    return this;
  }

  // decisions

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
    for (var round = 0; !open.isEmpty(); round++) {
      assertThat(round).as("knows enough at last: " + open.values()).isLessThan(ROUNDS);
      var batch = new Batch(loaded(open.values().stream().toList()), now);
      for (var entry : List.copyOf(open.entrySet())) {
        try {
          outcomes.set(entry.getKey(), batch.decide(entry.getValue()));
          open.remove(entry.getKey());
        } catch (UnlockedRecordsException e) {
          open.put(entry.getKey(), e.widened(entry.getValue()));
        }
      }
      keep(batch);
    }
    for (var i = 0; i < commands.size(); i++) {
      if (isUnfinished(outcomes.get(i))) {
        hints.add(commands.get(i));
      }
    }
    return List.copyOf(outcomes);
  }

  private static boolean isUnfinished(@Nullable Object outcome) {
    return (outcome instanceof AdmitRuns.Admitted admitted && admitted.isUnfinished())
        || (outcome instanceof PassTurn.Admitted passed && passed.isUnfinished());
  }

  private Map<RecordKey<?>, Object> loaded(List<? extends Command<?>> commands) {
    var loaded = new HashMap<RecordKey<?>, Object>();
    for (var command : commands) {
      for (var key : command.keys()) {
        var record =
            switch (key) {
              case LineId line -> firstOf(waiting(line));
              case LineLengthId(var line) -> length(new LimitId(line.workspace(), line.hash()));
              case SlotsId slots ->
                  get(slots).map(all -> all.joined(slots, this::find)).orElse(null);
              default -> records.get(key);
            };
        if (record != null) {
          loaded.put(key, record);
        }
      }
    }
    return loaded;
  }

  private @Nullable LineLength length(LimitId limit) {
    return get(limit)
        .map(line -> new LineLength(waiting(limit.line()).size(), line.last().orElseThrow()))
        .orElse(null);
  }

  private @Nullable Line firstOf(List<Line.Place> places) {
    return places.isEmpty()
        ? null
        : new Line(places.stream().limit(window).toList(), places.size() > window, List.of());
  }

  private Optional<Object> find(RecordKey<?> key) {
    return Optional.ofNullable(records.get(key));
  }

  private void keep(Batch batch) {
    var changes = batch.changes();
    PassTurn.after(changes).forEach(hints::add);
    AdmitRuns.after(changes).forEach(hints::add);
    changes.forEach(
        (key, change) -> {
          switch (change.after()) {
            case Run after -> keep(after);
            case Line line -> keep((LineId) key, change.before(), line);
            case Slots slots -> keep((SlotsId) key, change.before(), slots);
            case null -> throw new AssertionError("nothing is removed: " + key);
            default -> records.put(key, change.after());
          }
        });
  }

  private void keep(Run after) {
    for (var event : after.newEvents()) {
      folded.compute(after.id(), (_, before) -> fold(before, after, event));
      lastChanges.put(after.id(), event.change());
    }
    records.put(after.id(), after.with(List.of()));
    assertThat(plain(after)).isEqualTo(plain(requireNonNull(folded.get(after.id()))));
    // the next decision begins with what is stored
    folded.put(after.id(), after.with(List.of()));
  }

  private static Run fold(@Nullable Run before, Run after, RunEvent event) {
    return before == null
        ? Run.created(after.id(), after.definition(), after.origin(), event.actor())
        : before.after(event);
  }

  /** An admission at once is no event: neither the turn nor the time that it sets. */
  private static List<Object> plain(Run run) {
    return List.of(
        run.version(),
        run.position(),
        run.phase() instanceof Phase.Ready(_, var attempt) ? "ready " + attempt : run.phase(),
        run.tokens().awaited(),
        run.phase() instanceof Phase.Ready ? "" : run.stepTurn());
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

  private void keep(SlotsId id, @Nullable Object before, Slots after) {
    var loaded = before instanceof Slots slots ? slots : Slots.NONE;
    var all = new ArrayList<>(get(id).orElse(Slots.NONE).taken());
    all.removeAll(loaded.dead());
    all.addAll(after.addedTo(loaded));
    assertThat(all).as("each once").doesNotHaveDuplicates();
    records.put(id, new Slots(all, List.of()));
  }

  /** What the last commits called for. */
  List<Command<?>> takeHints() {
    var taken = List.copyOf(hints);
    hints.clear();
    return taken;
  }

  /** Decides what commits call for, until no commit calls for more. */
  void settles() {
    for (var open = takeHints(); !open.isEmpty(); open = takeHints()) {
      doAll(open);
    }
  }

  // current state

  @SuppressWarnings("unchecked") // a key's type parameter is its record's type
  <R> Optional<R> get(RecordKey<R> key) {
    return Optional.ofNullable((R) records.get(key));
  }

  Run run(RunId id) {
    return get(id).orElseThrow();
  }

  RunChange lastChange(RunId id) {
    return Optional.ofNullable(lastChanges.get(id)).orElseThrow();
  }

  List<Run> runs() {
    return folded.keySet().stream().map(this::run).toList();
  }

  List<Line.Place> waiting(LineId line) {
    return get(line).orElse(Line.EMPTY).joined(line, this::find).first();
  }

  List<RunId> waiting(LimitKey key) {
    return waiting(key.id().line()).stream().map(Line.Place::run).toList();
  }

  /** The runs that count, by what is stored for the limit. */
  List<RunId> admitted(LimitKey key) {
    var id = key.id().slots();
    return get(id).orElse(Slots.NONE).joined(id, this::find).taken().stream()
        .map(Slots.Slot::run)
        .toList();
  }

  boolean isWaiting(RunId id) {
    return run(id).blocked().isPresent();
  }

  boolean isInQueue(RunId id) {
    return run(id).queue().isPresent();
  }

  // commands

  RunId newRun() {
    return new RunId(Workspace.DEFAULT, new UUID(0x0123456789AB7000L, ++drawn));
  }

  StartRun startRun(Definition definition, String tenant, String input) {
    return new StartRun(
        newRun(),
        definition,
        new Payload.Json(input),
        tenant.isEmpty() ? Map.of() : Map.of(LABEL, tenant),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        BY);
  }

  static EnterStep<StartOutcome> start(StartRun start) {
    return EnterStep.of(start, start, LimitedRuns::changed);
  }

  EnterStep<StartOutcome> queued(Definition definition, String tenant, HookId token) {
    var start = startRun(definition, tenant, "{}");
    var policy = new ConflictPolicy.Queue(ConflictPolicy.Queue.MAX_LIMIT, false);
    return EnterStep.of(
        start,
        new StartRunWithHooks(start, List.of(new Wanted(token, "", Duration.ZERO, policy))),
        LimitedRuns::changed);
  }

  private static Stream<Run> changed(StartOutcome outcome) {
    return switch (outcome) {
      case StartOutcome.Created(var run) -> Stream.of(run);
      case StartOutcome.Queued(var run, _, _) -> Stream.of(run);
      default -> throw new AssertionError(outcome);
    };
  }

  RunId starts(Definition definition, String tenant) {
    var start = startRun(definition, tenant, "{}");
    does(start(start));
    return start.run();
  }

  /** What the server does with a run that has reached its step. */
  void enters(RunId id) {
    does(EnterStep.of(id));
  }

  ClaimTask claim(RunId id) {
    return new ClaimTask(id, Steps.QUEUE, "worker", Optional.empty(), ++drawn, PrincipalName.NONE);
  }

  void takes(RunId id) {
    does(claim(id));
    assertThat(run(id).held()).as("held").isPresent();
  }

  CompleteTask complete(RunId id) {
    return new CompleteTask(
        run(id).claim().orElseThrow(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        false,
        OptionalLong.empty(),
        PrincipalName.NONE);
  }

  FailTask fail(RunId id, boolean isFinal) {
    return new FailTask(
        run(id).claim().orElseThrow(), FAILURE, isFinal, Optional.empty(), 0.5, PrincipalName.NONE);
  }

  ReleaseTask release(RunId id, Duration delay) {
    return new ReleaseTask(run(id).claim().orElseThrow(), delay, PrincipalName.NONE);
  }

  SuspendTask suspend(RunId id, Duration time) {
    return new SuspendTask(
        run(id).claim().orElseThrow(),
        Optional.of(new StepDefinition.Timer(new StepDefinition.Timer.After(time))),
        Optional.empty(),
        Optional.empty(),
        ReportedParts.NONE,
        PrincipalName.NONE);
  }

  ControlRun control(RunId id, ControlRun.Verb verb) {
    return new ControlRun(id, verb, "because", OptionalLong.empty(), BY);
  }

  RetryRun retry(RunId id) {
    return new RetryRun(id, "request " + drawn++, "because", OptionalLong.empty(), BY);
  }

  static SetLimit set(LimitKey key, OptionalInt maxRunning) {
    return set(key, maxRunning, Optional.empty());
  }

  static SetLimit set(LimitKey key, OptionalInt maxRunning, Optional<Rate> rate) {
    return new SetLimit(key, maxRunning, rate, Attribution.SERVER);
  }
}
