package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A run, as its history left it.
 *
 * @param version the number of its last event
 * @param state one JSON object, patched by each completion
 * @param output of the last step completed; a skipped one leaves it
 * @param named how many steps its code has named and recorded
 * @param tokens what hooks have made of it
 * @param news what has happened since it was loaded
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
    List<RunEvent> news) {
  /** From here on signals and named steps are refused. */
  public static final long MAX_EVENTS = 50_000;

  /** The largest state, in bytes of JSON. */
  public static final int MAX_STATE = Payload.MAX_BYTES;

  public Run {
    news = List.copyOf(news);
  }

  /** The run of which this is the first event. */
  public static Run created(RunId id, Definition definition, RunOrigin origin, Actor by) {
    var event = new RunEvent(1, origin.createdAt(), by, 0, 0, new RunChange.Created(origin));
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
        List.of(event));
  }

  public RunStatus status() {
    return switch (phase) {
      case Phase.Ready _ when startedAt.isEmpty() -> RunStatus.PENDING;
      case Phase.Ready _, Phase.Held _, Phase.Settled _ -> RunStatus.RUNNING;
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

  /** What a worker would have to know of the current step. */
  public Optional<StepDefinition.Work> work() {
    return step().flatMap(StepDefinition::work);
  }

  public boolean hasEnded() {
    return phase instanceof Phase.Ended;
  }

  /** What goes on, also behind a pause. */
  Optional<Phase.Open> open() {
    return switch (phase) {
      case Phase.Open open -> Optional.of(open);
      case Phase.Paused(var behind) -> Optional.of(behind);
      case Phase.Ended _ -> Optional.empty();
    };
  }

  /** Whoever holds the current step. */
  public Optional<Phase.Held> held() {
    return open().filter(Phase.Held.class::isInstance).map(Phase.Held.class::cast);
  }

  /** The claim of whoever holds the current step. */
  public Optional<TaskClaim> claim() {
    return held()
        .map(Phase.Held::grant)
        .map(grant -> new TaskClaim(id, position.step(), grant.nonce(), grant.fence()));
  }

  /** When it last changed by the database's clock, if that was since it was loaded. */
  public Optional<Instant> changedAt() {
    return news.isEmpty() ? Optional.empty() : Optional.of(news.getLast().at());
  }

  /** What holds the current step, if it is this claim. */
  Optional<Phase.Held> heldBy(TaskClaim claim) {
    return held().filter(held -> claim.isOf(position.step(), held.grant()));
  }

  /** The queue whose workers may take the current step, now or when it is due. */
  public Optional<String> queue() {
    return phase instanceof Phase.Ready ? work().map(StepDefinition.Work::queue) : Optional.empty();
  }

  /** When it has to be looked at: by workers if it is in a queue, by the server if not. */
  public Optional<Instant> due() {
    return switch (phase) {
      case Phase.Ready(var due, _) -> Optional.of(due);
      case Phase.Held(_, var leaseUntil, _) -> Optional.of(leaseUntil);
      case Phase.Waiting waiting when waiting.unsifted() -> Optional.of(Instant.EPOCH);
      case Phase.Waiting(var until, _, _) -> until;
      case Phase.Settled _ -> Optional.of(Instant.EPOCH);
      case Phase.Paused(Phase.Held(_, var leaseUntil, _)) -> Optional.of(leaseUntil);
      case Phase.Paused _, Phase.Ended _ -> Optional.empty();
    };
  }

  /** This run with one more event. */
  Run then(RunChange change, Instant now, Actor by) {
    var event = new RunEvent(version + 1, now, by, position.step(), attemptOf(change), change);
    var after = after(event);
    return after.with(Stream.concat(news.stream(), Stream.of(event)).toList());
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

  private Run changed(Consumer<Draft> change) {
    var draft = new Draft();
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

  /** The same grant for another call, with the lease of a new one. */
  Run deliveredAgain(Phase.Held held, Instant now) {
    return moved(held.deliveredAgain(now.plus(work().orElseThrow().lease())));
  }

  /** A pause stays one, whatever goes on behind it. */
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

  Run startedBy(Instant time) {
    return startedAt.isPresent() ? this : changed(run -> run.startedAt = Optional.of(time));
  }

  Run with(HookTokens next) {
    return changed(run -> run.tokens = next);
  }

  /** The same, remembered at least until then. */
  Run rememberedUntil(Instant time) {
    return time.isAfter(origin.rememberedUntil())
        ? changed(run -> run.origin = origin.rememberedUntil(time))
        : this;
  }

  /** Whether its history takes what somebody wants of it; its own steps always find room. */
  public boolean hasRoom() {
    return version < MAX_EVENTS;
  }

  /** Whether this claim holds the current step. */
  public boolean isHeldBy(TaskClaim claim) {
    return heldBy(claim).isPresent();
  }

  /** When it ended, if it has. */
  public Optional<Instant> endedAt() {
    return phase instanceof Phase.Ended ended ? Optional.of(ended.at()) : Optional.empty();
  }

  /** This run with a token of its own, perhaps taken from another. */
  public Run hooked(
      UUID hook, String name, Duration retention, Optional<RunId> from, Instant now, Actor by) {
    return then(new RunChange.HookCreated(hook, name, retention, from), now, by);
  }

  /** This run without that token. */
  public Run unhooked(UUID hook, Instant now, Actor by) {
    return then(new RunChange.HookDisposed(hook), now, by);
  }

  /** What is left when another run takes a token of it: it ends, unless it has. */
  public Run supersededBy(RunId next, Instant now, Actor by) {
    return then(
        hasEnded()
            ? new RunChange.Superseded(next)
            : new RunChange.RunCancelled("superseded by " + next.text(), Optional.of(next)),
        now,
        by);
  }

  /** The same, where {@code since} is what has happened since it was loaded. */
  public Run with(List<RunEvent> since) {
    return changed(run -> run.news = since);
  }

  /** A run that is being changed, so that a change names only what is different. */
  private final class Draft {
    private RunOrigin origin = Run.this.origin;
    private long version = Run.this.version;
    private StepPosition position = Run.this.position;
    private Phase phase = Run.this.phase;
    private Json.Obj state = Run.this.state;
    private Optional<Payload> output = Run.this.output;
    private Inbox inbox = Run.this.inbox;
    private int named = Run.this.named;
    private HookTokens tokens = Run.this.tokens;
    private Optional<Instant> startedAt = Run.this.startedAt;
    private List<RunEvent> news = Run.this.news;

    Run run() {
      return new Run(
          id,
          definition,
          origin,
          version,
          position,
          phase,
          state,
          output,
          inbox,
          named,
          tokens,
          startedAt,
          news);
    }
  }
}
