package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A run: the state that results from its history.
 *
 * @param version the number of its last event
 * @param state one JSON object, patched by each completion
 * @param output of the last completed step; a skipped step does not change it
 * @param named how many events are about parts; 0 = it has none
 * @param tokens the effects of hook tokens
 * @param details that a worker last reported about the current step, for its next attempt
 * @param stepTurn in the lines of the current step's limits: with it the run waits there, or is
 *     admitted; empty = the step has no limit, or the run has not reached its lines
 * @param definitionTurn the same for the limits of its definition, until the run ends
 * @param newEvents the events since it was loaded
 */
public record Run(
    RunId id,
    Definition definition,
    RunOrigin origin,
    long version,
    StepPosition position,
    Phase phase,
    Json.Obj state,
    Optional<Payload> output,
    Inbox inbox,
    int named,
    HookTokens tokens,
    Optional<Instant> startedAt,
    Deadlines deadlines,
    Optional<Payload> details,
    Optional<StepTurn> stepTurn,
    Optional<StepTurn> definitionTurn,
    List<RunEvent> newEvents) {
  /** The number of events at which signals and named steps are rejected. */
  public static final long MAX_EVENTS = 50_000;

  /** The largest state, in bytes of JSON. */
  public static final int MAX_STATE = Payload.MAX_BYTES;

  public Run {
    newEvents = List.copyOf(newEvents);
  }

  /** A new run with its first event. */
  public static Run created(RunId id, Definition definition, RunOrigin origin, Actor actor) {
    var event = new RunEvent(1, origin.createdAt(), actor, 0, 0, new RunChange.Created(origin));
    return new Run(
        id,
        definition,
        origin,
        1,
        StepPosition.first(definition),
        new Phase.Ready(origin.notBefore(), 1),
        Json.Obj.EMPTY,
        Optional.empty(),
        Inbox.EMPTY,
        0,
        HookTokens.NONE,
        Optional.empty(),
        Deadlines.of(origin),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(event));
  }

  public RunStatus status() {
    return switch (phase) {
      case Phase.Ready _, Phase.Blocked _ when startedAt.isEmpty() -> RunStatus.PENDING;
      case Phase.Ready _, Phase.Blocked _, Phase.Held _, Phase.InDoubt _, Phase.Finishing _ ->
          RunStatus.RUNNING;
      case Phase.Waiting _ -> RunStatus.WAITING;
      case Phase.Paused _ -> RunStatus.PAUSED;
      case Phase.Completed _ -> RunStatus.COMPLETED;
      case Phase.Failed _ -> RunStatus.FAILED;
      case Phase.Cancelled _ -> RunStatus.CANCELLED;
    };
  }

  /** The current step; empty when all are done. */
  public Optional<StepDefinition> step() {
    return definition.hasStep(position.step())
        ? Optional.of(definition.step(position.step()))
        : Optional.empty();
  }

  /** The part of the current step that a worker executes; empty = it needs no worker. */
  public Optional<StepDefinition.Work> work() {
    return step().flatMap(StepDefinition::work);
  }

  public boolean hasEnded() {
    return phase instanceof Phase.Ended;
  }

  /** The open phase, also of a paused run. */
  Optional<Phase.Open> open() {
    return switch (phase) {
      case Phase.Open open -> Optional.of(open);
      case Phase.Paused(var behind) -> Optional.of(behind);
      case Phase.Ended _ -> Optional.empty();
    };
  }

  /** The grant and lease of the current step, if a worker holds it. */
  public Optional<Phase.Held> held() {
    return open().filter(Phase.Held.class::isInstance).map(Phase.Held.class::cast);
  }

  /** The last grant of the current step, also if its lease is over and its effect is in doubt. */
  public Optional<Phase.Held> lastHeld() {
    return open().flatMap(Phase.Open::lastHeld);
  }

  /** The claim of the worker that holds the current step. */
  public Optional<TaskClaim> claim() {
    return held()
        .map(Phase.Held::grant)
        .map(grant -> new TaskClaim(id, position.step(), grant.nonce(), grant.fence()));
  }

  /** The time of its last new event, by the database's clock. */
  public Optional<Instant> changedAt() {
    return newEvents.isEmpty() ? Optional.empty() : Optional.of(newEvents.getLast().at());
  }

  /**
   * The last holder of the current step, if it has this claim and its attempt still counts: what a
   * step did that runs at most once counts also after its time.
   */
  public Optional<Phase.Held> heldBy(TaskClaim claim, Instant now) {
    return lastHeld()
        .filter(_ -> isHeldBy(claim))
        .filter(held -> !held.isTimedOut(now) || step().orElseThrow().isAtMostOnce());
  }

  /** The queue whose workers may claim the current step, now or when it is due. */
  public Optional<String> queue() {
    return phase instanceof Phase.Ready
            && !needsDefinitionTurn()
            && (stepTurn.isPresent() || limits().isEmpty())
        ? work().map(StepDefinition.Work::queue)
        : Optional.empty();
  }

  /** The limits of the current step. */
  public List<Limit> limits() {
    return step().map(StepDefinition::limits).orElse(List.of());
  }

  /** Whether it is to reach the limits of its definition first, before any step. */
  public boolean needsDefinitionTurn() {
    return definitionTurn.isEmpty() && !definition.limits().isEmpty();
  }

  /** Whether the server has to admit it to its definition or step now, or to let it wait. */
  public boolean needsTurn(Instant now) {
    return phase instanceof Phase.Ready(var due, _)
        && !now.isBefore(due)
        && (needsDefinitionTurn() || (stepTurn.isEmpty() && !limits().isEmpty()))
        && !tokens.isAwaiting();
  }

  /** Whether it waits in this line with this turn. */
  public boolean waitsIn(UUID line, long turn) {
    return blocked().filter(blocked -> blocked.turn() == turn).isPresent()
        && awaitedLines().contains(line);
  }

  /** The lines that it waits in; empty = it does not wait. */
  public List<UUID> awaitedLines() {
    return blocked().isEmpty()
        ? List.of()
        : stepTurn
            .map(StepTurn::lines)
            .orElseGet(
                () ->
                    Stream.concat(
                            tokens.awaited().stream().map(AwaitedToken::hash),
                            definitionTurn.stream().flatMap(has -> has.lines().stream()))
                        .toList());
  }

  /**
   * Whether it counts in this line with this turn: it is in the queue of its step or held, or was
   * admitted to its definition.
   */
  public boolean isAdmittedTo(UUID line, long turn) {
    return (blocked().isEmpty()
            ? Stream.concat(stepTurn.stream(), definitionTurn.stream())
            : stepTurn.isPresent() ? definitionTurn.stream() : Stream.<StepTurn>empty())
        .anyMatch(has -> has.turn() == turn && has.lines().contains(line));
  }

  /** This run at its turn at once: it may begin. */
  public Run admittedToDefinition(StepTurn turn, Instant now) {
    var ready = (Phase.Ready) phase;
    // at a limited step, the admission to the step sets the time
    var due = limits().isEmpty() && ready.due().isBefore(now) ? now : ready.due();
    var admitted =
        with(new Phase.Ready(due, ready.attempt())).withDefinitionTurn(Optional.of(turn));
    return new RunProgression(now).proceed(admitted);
  }

  /** This run at its turn at once: it is in the queue from now on. */
  public Run admitted(StepTurn turn, Instant now) {
    var ready = (Phase.Ready) phase;
    var due = ready.due().isBefore(now) ? now : ready.due();
    return with(new Phase.Ready(due, ready.attempt())).with(Optional.of(turn));
  }

  /** This run, waiting in line for its definition or step. */
  public Run blocked(StepTurn turn, RunChange.FullLimit full, Instant now) {
    var change = new RunChange.Blocked(turn.turn(), List.of(), Optional.of(full));
    return then(change, now, Actor.SERVER);
  }

  Run with(Optional<StepTurn> next) {
    return changed(run -> run.stepTurn = next);
  }

  Run withDefinitionTurn(Optional<StepTurn> next) {
    return changed(run -> run.definitionTurn = next);
  }

  /** The queue of a step of the definition; empty = no worker does it. */
  public Optional<String> queueOf(int step) {
    return definition.hasStep(step)
        ? definition.step(step).work().map(StepDefinition.Work::queue)
        : Optional.empty();
  }

  /** When it is due: for workers if it is in a queue, for the server otherwise. */
  public Optional<Instant> due() {
    return phase.dueAt();
  }

  /** When the server fails it, if it has not ended by then. */
  public Optional<Instant> deadline() {
    return hasEnded() ? Optional.empty() : deadlines.next();
  }

  /** This run with one more event. */
  Run then(RunChange change, Instant now, Actor actor) {
    var event = new RunEvent(version + 1, now, actor, position.step(), attemptOf(change), change);
    var after = after(event);
    return after.with(Stream.concat(newEvents.stream(), Stream.of(event)).toList());
  }

  private int attemptOf(RunChange change) {
    return change instanceof RunChange.StepStarted && phase instanceof Phase.Ready(_, var attempt)
        ? attempt
        : position.attempt();
  }

  /** This run after an event of its history. */
  public Run after(RunEvent event) {
    return new RunFold(this, event).after().at(event.version());
  }

  private Run changed(Consumer<RunDraft> change) {
    var draft = new RunDraft(this);
    change.accept(draft);
    return draft.run();
  }

  private Run at(long next) {
    return changed(run -> run.version = next);
  }

  Run with(StepPosition next) {
    return changed(run -> run.position = next);
  }

  Run with(Phase next) {
    return changed(run -> run.phase = next);
  }

  /** This run with its grant delivered once more and the lease renewed. */
  Run deliveredAgain(Phase.Held held, Instant now) {
    return moved(held.deliveredAgain(now.plus(work().orElseThrow().lease())));
  }

  /** This run in another open phase; a paused run stays paused. */
  Run moved(Phase.Open next) {
    return with(phase instanceof Phase.Paused ? new Phase.Paused(next) : next);
  }

  Run with(Inbox next) {
    return changed(run -> run.inbox = next);
  }

  Run withOutput(Optional<Payload> next) {
    return changed(run -> run.output = next);
  }

  Run patched(Optional<Json.Obj> patch) {
    return patch.map(members -> changed(run -> run.state = state.patched(members))).orElse(this);
  }

  Run withOneMoreNamed() {
    return changed(run -> run.named = named + 1);
  }

  Run withDetails(Optional<Payload> next) {
    return changed(run -> run.details = next);
  }

  Run with(Deadlines next) {
    return changed(run -> run.deadlines = next);
  }

  Run startedBy(Instant time) {
    return startedAt.isPresent() ? this : changed(run -> run.startedAt = Optional.of(time));
  }

  Run with(HookTokens next) {
    return changed(run -> run.tokens = next);
  }

  /** This run with an idempotency key that is retained at least until then. */
  Run rememberedUntil(Instant time) {
    return time.isAfter(origin.rememberedUntil())
        ? changed(run -> run.origin = origin.rememberedUntil(time))
        : this;
  }

  /**
   * Whether its history accepts events that callers request; events of its own steps always fit.
   */
  public boolean hasRoom() {
    return version < MAX_EVENTS;
  }

  /** Whether no other claim got the current step after this one, also if its time is over. */
  public boolean isHeldBy(TaskClaim claim) {
    return lastHeld().filter(held -> claim.isOf(position.step(), held.grant())).isPresent();
  }

  /** When it ended, if it has. */
  public Optional<Instant> endedAt() {
    return phase instanceof Phase.Ended ended ? Optional.of(ended.at()) : Optional.empty();
  }

  /** This run with a new token, which may come from another run. */
  public Run withHook(
      UUID hook, String name, Duration retention, Optional<RunId> from, Instant now, Actor actor) {
    return then(new RunChange.HookCreated(hook, name, retention, from), now, actor);
  }

  /** This run without that token. */
  public Run withoutHook(UUID hook, String reason, Instant now, Actor actor) {
    return then(new RunChange.HookDisposed(hook, reason), now, actor);
  }

  /** This run, waiting in line for these tokens. */
  public Run blocked(long turn, List<AwaitedToken> awaited, Instant now, Actor actor) {
    return then(new RunChange.Blocked(turn, awaited, Optional.empty()), now, actor);
  }

  /** This run at its turn, with the tokens that it waited for, or in the queue of its step. */
  public Run admitted(Phase.Blocked blocked, Instant now) {
    var waited = Duration.between(blocked.since(), now);
    var change =
        new RunChange.Admitted(blocked.turn(), waited.isNegative() ? Duration.ZERO : waited);
    var run = then(change, now, Actor.SERVER);
    for (var token : tokens.awaited()) {
      run =
          run.withHook(
              token.hash(), token.name(), token.retention(), Optional.empty(), now, Actor.SERVER);
    }
    return new RunProgression(now).proceed(run);
  }

  /** The turn of this run, if it waits in line. */
  public Optional<Phase.Blocked> blocked() {
    return phase instanceof Phase.Blocked blocked ? Optional.of(blocked) : Optional.empty();
  }

  /** This run, with other runs in the lines of these tokens behind it. */
  public Run marked(Collection<UUID> lines) {
    return tokens.marks().containsAll(lines) ? this : with(tokens.marked(lines));
  }

  /** This run after another run took one of its tokens: it is cancelled, unless it has ended. */
  public Run supersededBy(RunId next, Instant now, Actor actor) {
    return then(
        hasEnded()
            ? new RunChange.Superseded(next, false)
            : new RunChange.RunCancelled("superseded by " + next.text(), Optional.of(next)),
        now,
        actor);
  }

  /** Whether another run may take its idempotency key: it ended without success. */
  boolean isRestartable() {
    return phase instanceof Phase.Failed || phase instanceof Phase.Cancelled;
  }

  /** This run after another run took its idempotency key. */
  Run restartedBy(RunId next, Instant now, Actor actor) {
    return then(new RunChange.Superseded(next, true), now, actor);
  }

  /** Whether a failure ended it, and it may be continued: no other run has its key. */
  public boolean isReopenable() {
    return phase instanceof Phase.Failed && !tokens.keyLost();
  }

  /** This run with these new events. */
  public Run with(List<RunEvent> since) {
    return changed(run -> run.newEvents = since);
  }
}
