package dev.hapax.domain.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.intent.IntentCommand;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.PendingRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One run and the commands on it. Checks after each command the history against the {@link
 * Chronicle}, and the run against the fold of its history.
 */
final class Story {
  static final Instant BEGINNING = Instant.parse("2026-01-01T12:00:00Z");
  static final RunId ID = new RunId(Workspace.DEFAULT, new UUID(0x0123456789AB7CDEL, 7));
  static final Payload INPUT = new Payload.Json("{\"order\": 4711}");
  static final Payload OUTPUT = new Payload.Json("\"done\"");
  static final Failure FAILURE = new Failure("DECLINED", "no", Optional.empty());
  static final Actor BY = Actor.caller("ann");
  static final TaskClaim NO_CLAIM = new TaskClaim(ID, 0, 1, new Fence(1));

  final Chronicle chronicle;
  private final Definition definition;
  private final Map<RecordKey<?>, Object> records = new HashMap<>();
  private final List<RunEvent> history = new ArrayList<>();
  private Instant now = BEGINNING;
  private long drawn = 1_000;
  private @Nullable Run folded;
  private TaskClaim last = NO_CLAIM;

  private Story(Definition definition) {
    this.definition = definition;
    this.chronicle = new Chronicle(definition);
  }

  static Story untold(StepDefinition... steps) {
    return untold(Steps.definition(steps));
  }

  static Story untold(Definition definition) {
    return new Story(definition);
  }

  static Story of(StepDefinition... steps) {
    var story = untold(steps);
    story.does(story.start(Optional.empty()));
    return story;
  }

  /** A run whose first step a worker holds. */
  static Story held(StepDefinition... steps) {
    var story = of(steps);
    story.take();
    return story;
  }

  Instant now() {
    return now;
  }

  Story later(Duration time) {
    now = now.plus(time);
    return this;
  }

  Optional<Run> found() {
    return get(ID);
  }

  Run run() {
    return found().orElseThrow();
  }

  RunStatus status() {
    return run().status();
  }

  List<RunEvent> history() {
    return List.copyOf(history);
  }

  RunChange lastChange() {
    return history.getLast().change();
  }

  /** The names of the events. */
  List<String> tale() {
    return history.stream().map(event -> event.change().getClass().getSimpleName()).toList();
  }

  /** The claim of the last grant, which may have ended. */
  TaskClaim claim() {
    return last;
  }

  @SuppressWarnings("unchecked") // a key's type parameter is its record's type
  <R> Optional<R> get(RecordKey<R> key) {
    return Optional.ofNullable((R) records.get(key));
  }

  /** Replaces the run without an event. */
  <R> void put(RecordKey<R> key, R record) {
    records.put(key, record);
  }

  Map<RecordKey<?>, Object> records() {
    return Map.copyOf(records);
  }

  /** Decides it, once more with what it led to if need be. */
  <O> O does(Command<O> command) {
    try {
      return decide(command);
    } catch (UnlockedRecordsException e) {
      return does(e.widened(command));
    }
  }

  private <O> O decide(Command<O> command) {
    var before = found();
    var named = named(command);
    var batch = new Batch(named, now);
    var outcome = batch.decide(command);
    PendingRecords.check(named, ID, command, now, outcome);
    before.flatMap(Run::claim).ifPresent(claim -> checkCompletion(claim, command));
    batch
        .changes()
        .forEach(
            (key, change) -> {
              if (change.after() == null) {
                records.remove(key);
              } else {
                records.put(key, change.after());
              }
            });
    found().ifPresent(after -> check(before, after));
    return outcome;
  }

  private void checkCompletion(TaskClaim claim, Command<?> command) {
    var complete =
        new CompleteTask(
            claim,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            OptionalLong.empty(),
            PrincipalName.NONE);
    PendingRecords.checkAfterTake(
        records, ID, new IntentCommand.TaskCompletion(complete), command, now);
  }

  /** The records that a real ledger would load. */
  private Map<RecordKey<?>, Object> named(Command<?> command) {
    var named = new HashMap<>(records);
    named.keySet().retainAll(Set.copyOf(command.keys()));
    return named;
  }

  private void check(Optional<Run> before, Run after) {
    var newEvents = after.newEvents();
    assertThat(after.version())
        .isEqualTo(before.map(Run::version).orElse(0L) + newEvents.size())
        .isEqualTo(newEvents.isEmpty() ? history.size() : newEvents.getLast().version());
    for (var event : newEvents) {
      if (event.change() instanceof RunChange.LeaseLost) {
        assertThat(before.flatMap(Run::lastHeld).orElseThrow().leaseUntil())
            .as("a lease is over")
            .isBeforeOrEqualTo(event.at());
      }
      chronicle.tell(event);
      history.add(event);
      folded =
          folded == null
              ? Run.created(ID, definition, after.origin(), event.actor())
              : folded.after(event);
    }
    records.put(ID, after.with(List.of()));
    last = after.claim().orElse(last);
    assertThat(plain(after)).isEqualTo(plain(folded == null ? after : folded));
    assertThat(after.status()).isEqualTo(chronicle.status());
    assertThat(after.position().step()).isEqualTo(chronicle.done());
    assertThat(after.position().allowed()).isEqualTo(chronicle.allowed());
    chronicle.parts.check(records);
    assertThat(after.lastHeld().map(Phase.Held::grant)).isEqualTo(chronicle.holder());
    assertThat(after.lastHeld().flatMap(Phase.Held::attemptUntil))
        .isEqualTo(chronicle.attemptUntil());
    assertThat(after.deadline()).isEqualTo(chronicle.deadline());
    assertThat(after.inbox().unconsumed()).isEqualTo(chronicle.inbox().size());
    if (before.isPresent() && newEvents.isEmpty()) {
      assertThat(plain(after)).as("no change without an event").isEqualTo(plain(before.get()));
    }
  }

  /**
   * Without data that may change without an event: the end of a lease, the doubt that a renewal
   * ends, the details, and whether the inbox is checked.
   */
  static Run plain(Run run) {
    var open = run.open().map(Story::plain);
    return open.map(phase -> run.moved(phase))
        .orElse(run)
        .withDetails(Optional.empty())
        .with(List.of());
  }

  private static Phase.Open plain(Phase.Open phase) {
    return switch (phase) {
      case Phase.Held(var grant, _, var attemptUntil, _) ->
          new Phase.Held(grant, Instant.EPOCH, attemptUntil, 1);
      case Phase.InDoubt(var lost) -> plain(lost);
      case Phase.Waiting(var until, var signal, _) -> new Phase.Waiting(until, signal, true);
      case Phase.Ready _, Phase.Blocked _, Phase.Finishing _ -> phase;
    };
  }

  /** Folds the whole history again. */
  Run folded() {
    var first = history.getFirst();
    var run = Run.created(ID, definition, run().origin(), first.actor());
    for (var event : history.subList(1, history.size())) {
      run = run.after(event);
    }
    return plain(run);
  }

  // commands with defaults

  StartRun start(Optional<Instant> startAt) {
    return start(ID, startAt, Optional.empty());
  }

  StartRun start(RunId id, Optional<Instant> startAt, Optional<StartRun.Key> key) {
    return new StartRun(id, definition, INPUT, Map.of(), startAt, key, Optional.empty(), BY);
  }

  StartRun start(Optional<Instant> startAt, RunTimeouts timeouts) {
    var parameters = new RunParameters(INPUT, Map.of(), Optional.empty(), timeouts);
    return new StartRun(
        ID, definition, false, parameters, startAt, Optional.empty(), Optional.empty(), BY);
  }

  ClaimTask offer(String queue, Optional<UUID> poll) {
    return new ClaimTask(ID, queue, "worker-" + drawn, poll, drawn++, PrincipalName.NONE);
  }

  ClaimTaskOutcome offered() {
    return does(offer(Steps.QUEUE, Optional.empty()));
  }

  /** A worker polls and gets the step. */
  TaskClaim take() {
    assertThat(offered()).isInstanceOf(ClaimTaskOutcome.Claimed.class);
    return claim();
  }

  CompleteTask complete(TaskClaim claim) {
    return complete(claim, Optional.empty(), List.of());
  }

  CompleteTask complete(TaskClaim claim, Optional<Json.Obj> patch, List<String> consumed) {
    return new CompleteTask(
        claim,
        Optional.of(OUTPUT),
        patch,
        consumed,
        false,
        OptionalLong.empty(),
        PrincipalName.NONE);
  }

  CompleteTask completeAndTakeNext(TaskClaim claim) {
    return new CompleteTask(
        claim,
        Optional.of(OUTPUT),
        Optional.empty(),
        List.of(),
        false,
        OptionalLong.of(drawn++),
        PrincipalName.NONE);
  }

  CompleteTask skip(TaskClaim claim) {
    return new CompleteTask(
        claim,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        true,
        OptionalLong.empty(),
        PrincipalName.NONE);
  }

  FailTask fail(TaskClaim claim) {
    return new FailTask(claim, FAILURE, false, Optional.empty(), 0.5, PrincipalName.NONE);
  }

  FailTask failFinally(TaskClaim claim) {
    return new FailTask(claim, FAILURE, true, Optional.empty(), 0.5, PrincipalName.NONE);
  }

  /** A failure of a part, which the code did not catch. */
  FailTask failFinally(TaskClaim claim, String part) {
    var failure = new Failure("DECLINED", "no", Optional.empty(), part, "");
    return new FailTask(claim, failure, true, Optional.empty(), 0.5, PrincipalName.NONE);
  }

  SuspendTask suspend(TaskClaim claim, Duration time) {
    var timer = new StepDefinition.Timer(new StepDefinition.Timer.After(time));
    return new SuspendTask(
        claim, Optional.of(timer), Optional.empty(), Optional.empty(), PrincipalName.NONE);
  }

  SuspendTask suspendFor(TaskClaim claim, String type) {
    return suspendFor(claim, Steps.filter(type));
  }

  SuspendTask suspendFor(TaskClaim claim, SignalFilter filter) {
    return new SuspendTask(
        claim, Optional.empty(), Optional.of(filter), Optional.empty(), PrincipalName.NONE);
  }

  HeartbeatTask heartbeat(TaskClaim claim) {
    return new HeartbeatTask(claim, Optional.empty());
  }

  HeartbeatTask heartbeat(TaskClaim claim, Payload details) {
    return new HeartbeatTask(claim, Optional.empty(), Optional.of(details));
  }

  RecordStep record(TaskClaim claim, String name, String... consumed) {
    return new RecordStep(claim, name, Optional.of(OUTPUT), List.of(consumed), PrincipalName.NONE);
  }

  RecordStep ask(TaskClaim claim, String name) {
    return new RecordStep(claim, name, Optional.empty(), List.of(), PrincipalName.NONE);
  }

  static PartReport output(String name, String... consumed) {
    return new PartReport(name, OUTPUT, List.of(consumed));
  }

  static PartReport begin(String name) {
    return report(name, new PartReport.Beginning());
  }

  static PartReport failing(String name, int attempt) {
    return failing(name, attempt, Optional.empty());
  }

  static PartReport failing(String name, int attempt, RetryPolicy retry) {
    return failing(name, attempt, Optional.of(retry));
  }

  private static PartReport failing(String name, int attempt, Optional<RetryPolicy> retry) {
    return report(name, new PartReport.Failing(attempt, FAILURE, false, retry, Optional.empty()));
  }

  static PartReport failingForGood(String name, int attempt) {
    return report(
        name, new PartReport.Failing(attempt, FAILURE, true, Optional.empty(), Optional.empty()));
  }

  static PartReport report(String name, PartReport.Result result) {
    return new PartReport(name, result, Optional.empty(), PartTraits.NONE);
  }

  static ReportedParts parts(PartReport... reports) {
    return new ReportedParts(List.of(reports), Optional.empty(), 0.5);
  }

  RecordParts report(TaskClaim claim, PartReport... reports) {
    return new RecordParts(claim, parts(reports), PrincipalName.NONE);
  }

  /** The part of the current step, which exists. */
  Part part(String name) {
    return get(new PartId(ID, run().position().step(), name)).orElseThrow();
  }

  SettleStep settle(RunChange.Verdict verdict) {
    return settle(Optional.empty(), verdict, OptionalLong.empty());
  }

  SettleStep settle(String part, RunChange.Verdict verdict) {
    return settle(Optional.of(part), verdict, OptionalLong.empty());
  }

  SettleStep settle(
      Optional<String> part, RunChange.Verdict verdict, OptionalLong expectedVersion) {
    var step = found().flatMap(Run::step).map(StepDefinition::name).orElse("none");
    return new SettleStep(ID, step, part, verdict, "request", "ticket 81", expectedVersion, BY);
  }

  SignalRun signal(String id, String type) {
    return signal(id, type, Optional.empty());
  }

  SignalRun signal(String id, String type, Optional<SourceHook> hook) {
    return new SignalRun(signalId(id), type, hook, Optional.of(payload(id)), BY);
  }

  /** Whether a signal is accepted, and whether the run waits for it. */
  boolean delivers(SignalRun signal) {
    var disposition = disposition(signal);
    assertThat(disposition).isNotEqualTo(SignalDisposition.DUPLICATE);
    return disposition == SignalDisposition.DELIVERED;
  }

  /** The disposition of an accepted signal. */
  SignalDisposition disposition(SignalRun signal) {
    var outcome = does(signal);
    assertThat(outcome).isInstanceOf(SignalOutcome.Accepted.class);
    return ((SignalOutcome.Accepted) outcome).disposition();
  }

  static SignalId signalId(String id) {
    return new SignalId(ID, id);
  }

  static Payload payload(String signalId) {
    return new Payload.Json("\"payload of %s\"".formatted(signalId));
  }

  AdvanceDueRun advance() {
    return new AdvanceDueRun(ID);
  }

  /** The command that the server sends for an unchecked inbox. */
  MatchBufferedSignal match() {
    var awaited =
        run().phase() instanceof Phase.Waiting waiting
            ? waiting.signal().flatMap(chronicle::oldest)
            : Optional.<String>empty();
    return new MatchBufferedSignal(
        ID,
        run().version(),
        awaited.map(id -> new MatchBufferedSignal.Found(id, Optional.of(payload(id)))));
  }

  ControlRun control(Verb verb) {
    return control(verb, OptionalLong.empty());
  }

  ControlRun control(Verb verb, OptionalLong expectedVersion) {
    return new ControlRun(ID, verb, "because", expectedVersion, BY);
  }

  RetryRun retry() {
    return retry(OptionalLong.empty());
  }

  RetryRun retry(OptionalLong expectedVersion) {
    return new RetryRun(ID, "request", "because", expectedVersion, BY);
  }
}
