package dev.hapax.domain.run;

import static dev.hapax.domain.run.RunStatus.CANCELLED;
import static dev.hapax.domain.run.RunStatus.COMPLETED;
import static dev.hapax.domain.run.RunStatus.FAILED;
import static dev.hapax.domain.run.RunStatus.PAUSED;
import static dev.hapax.domain.run.RunStatus.PENDING;
import static dev.hapax.domain.run.RunStatus.RUNNING;
import static dev.hapax.domain.run.RunStatus.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The rules for every history, by the design (5.2). Uses only the events, as an independent check
 * of the decisions about a run.
 */
final class Chronicle {
  /** The transitions so far, as "run PENDING -> RUNNING". */
  final Set<String> moves = new TreeSet<>();

  final ChronicledParts parts = new ChronicledParts();
  private final Definition definition;
  private final List<StepStatus> steps;
  private final Map<String, RunChange.SignalReceived> inbox = new LinkedHashMap<>();
  private long version;
  private RunStatus status = PENDING;
  private int done;
  private long fence;
  private int attempt;
  private int nextAttempt = 1;
  private int allowed;
  private Instant due = Instant.MIN;
  private Optional<TaskGrant> holder = Optional.empty();
  private boolean inDoubt;
  private boolean hasStarted;
  private Optional<Instant> attemptUntil = Optional.empty();
  private Optional<Instant> startBy = Optional.empty();
  private Optional<Instant> endBy = Optional.empty();
  private Optional<Duration> timeout = Optional.empty();
  private boolean mayWaitAgain;
  private boolean lost;
  private RunChange.StepSuspended wait =
      new RunChange.StepSuspended(Optional.empty(), Optional.empty(), Optional.empty());
  private Optional<Failure> failure = Optional.empty();

  Chronicle(Definition definition) {
    this.definition = definition;
    this.steps =
        new ArrayList<>(Collections.nCopies(definition.steps().size(), StepStatus.PENDING));
    this.allowed = budget(0, 0);
  }

  /** The status transitions of a run in the design. */
  static Set<RunStatus> moves(RunStatus from) {
    return switch (from) {
      case PENDING -> EnumSet.of(RUNNING, FAILED, CANCELLED);
      case RUNNING -> EnumSet.of(WAITING, PAUSED, COMPLETED, FAILED, CANCELLED);
      case WAITING -> EnumSet.of(RUNNING, PAUSED, FAILED, CANCELLED);
      case PAUSED -> EnumSet.of(RUNNING, FAILED, CANCELLED);
      case FAILED -> EnumSet.of(RUNNING, PENDING);
      case COMPLETED, CANCELLED -> EnumSet.noneOf(RunStatus.class);
    };
  }

  /** The status transitions of a step in the design; RUNNING again is the next attempt. */
  static Set<StepStatus> moves(StepStatus from) {
    return switch (from) {
      case PENDING ->
          EnumSet.of(
              StepStatus.RUNNING, StepStatus.SKIPPED, StepStatus.FAILED, StepStatus.CANCELLED);
      case RUNNING -> EnumSet.complementOf(EnumSet.of(StepStatus.PENDING));
      case WAITING ->
          EnumSet.of(
              StepStatus.RUNNING, StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.CANCELLED);
      case FAILED -> EnumSet.of(StepStatus.RUNNING, StepStatus.COMPLETED, StepStatus.SKIPPED);
      case COMPLETED, SKIPPED, CANCELLED -> EnumSet.noneOf(StepStatus.class);
    };
  }

  RunStatus status() {
    return status;
  }

  List<StepStatus> steps() {
    return List.copyOf(steps);
  }

  int done() {
    return done;
  }

  int attempt() {
    return attempt;
  }

  /** The number of the last attempt that is allowed. */
  int allowed() {
    return allowed;
  }

  Optional<TaskGrant> holder() {
    return holder;
  }

  /** The end of the attempt that is held. */
  Optional<Instant> attemptUntil() {
    return holder.flatMap(_ -> attemptUntil);
  }

  /** When the run fails if it has not ended by then. */
  Optional<Instant> deadline() {
    return Set.of(COMPLETED, FAILED, CANCELLED).contains(status)
        ? Optional.empty()
        : Stream.concat(startBy.stream(), endBy.stream()).min(Comparator.naturalOrder());
  }

  /** The unconsumed signals, oldest first. */
  Map<String, RunChange.SignalReceived> inbox() {
    return Collections.unmodifiableMap(inbox);
  }

  /** The oldest signal that matches a filter. */
  Optional<String> oldest(SignalFilter awaited) {
    return inbox.values().stream()
        .filter(signal -> isFor(awaited, signal))
        .map(RunChange.SignalReceived::signalId)
        .findFirst();
  }

  private static boolean isFor(SignalFilter awaited, RunChange.SignalReceived signal) {
    return switch (awaited) {
      case SignalFilter.Any() -> true;
      case SignalFilter.OfType(var type) -> type.equals(signal.type());
      case SignalFilter.OfHookName(var name, var type) ->
          signal.hook().map(SourceHook::name).equals(Optional.of(name))
              && (type.isEmpty() || type.get().equals(signal.type()));
      case SignalFilter.OfHook(var hook) ->
          signal.hook().map(SourceHook::fingerprint).equals(Optional.of(hook));
    };
  }

  void tell(RunEvent event) {
    assertThat(event.version()).as("no gap, no fork").isEqualTo(version + 1);
    version = event.version();
    if (!(event.change() instanceof RunChange.Superseded
        || event.change() instanceof RunChange.HookDisposed)) {
      assertThat(status).as("final").isNotIn(COMPLETED, CANCELLED);
    }
    if (!(event.change() instanceof RunChange.StepStarted)) {
      assertThat(event.attempt()).isEqualTo(attempt);
    }
    assertThat(event.step()).isEqualTo(done);
    var ofNews =
        switch (event.change()) {
          case RunChange.Created _ -> created(event);
          case RunChange.StepStarted(var grant) -> started(event, grant);
          case RunChange.StepCompleted completed -> completed(event, completed);
          case RunChange.StepFailed(var why) -> failed(event, why);
          case RunChange.StepSuspended suspended -> suspended(event, suspended);
          case RunChange.StepResumed(var signalId) -> resumed(event, signalId);
          case RunChange.RetryScheduled retry -> retry(event, retry);
          case RunChange.LeaseLost lost -> leaseLost(event, lost);
          case RunChange.LeaseGivenBack(var offered, _) -> givenBack(event, offered);
          case RunChange.StepRecorded recorded -> recorded(event, recorded);
          case RunChange.PartBegun begun -> ofPart(event, () -> parts.begun(event, begun));
          case RunChange.PartFailed broken -> ofPart(event, () -> parts.failed(event, broken));
          case RunChange.StepSettled(var part, var verdict, _, _) ->
              part.map(name -> partSettled(event, name, verdict))
                  .orElseGet(() -> stepSettled(event, verdict));
          case RunChange.SignalReceived signal -> received(signal);
          case RunChange.Paused _ -> PAUSED;
          case RunChange.Resumed _ -> unpaused();
          case RunChange.Retried _ -> retried(event);
          case RunChange.RunCompleted _ -> runCompleted();
          case RunChange.RunFailed(var why) -> runFailed(event, why);
          case RunChange.RunCancelled _ -> cancelled();
          case RunChange.HookCreated _, RunChange.HookDisposed _, RunChange.Superseded _ -> status;
          case RunChange.Blocked _, RunChange.Admitted _ -> throw new AssertionError("no tokens");
        };
    move(ofNews);
  }

  private void move(RunStatus next) {
    if (next != status) {
      assertThat(moves(status)).as("moves of a run from " + status).contains(next);
      moves.add("run " + status + " -> " + next);
      status = next;
    }
  }

  private void moveStep(int step, StepStatus next) {
    assertThat(moves(steps.get(step))).as("moves of a step from " + steps.get(step)).contains(next);
    moves.add("step " + steps.get(step) + " -> " + next);
    steps.set(step, next);
  }

  /** A pause hides the phase behind it. */
  private RunStatus behindPause(RunStatus next) {
    return status == PAUSED ? PAUSED : next;
  }

  /** The number of the last attempt of a step after this many. */
  private int budget(int step, int before) {
    var attempts =
        step < definition.steps().size()
            ? definition.step(step).work().map(work -> work.retry().maxAttempts()).orElse(1)
            : 1;
    return attempts < 0 ? Integer.MAX_VALUE : before + attempts;
  }

  private StepDefinition.Kind kind() {
    return definition.step(done).kind();
  }

  private boolean isWork() {
    return definition.step(done).work().isPresent();
  }

  private RunStatus created(RunEvent event) {
    assertThat(event.version()).isEqualTo(1);
    if (event.change() instanceof RunChange.Created(var origin)) {
      due = origin.notBefore();
      timeout = origin.parameters().timeouts().end();
      startBy = origin.parameters().timeouts().start().map(due::plus);
      endBy = timeout.map(due::plus);
    }
    return PENDING;
  }

  private RunStatus started(RunEvent event, Optional<TaskGrant> grant) {
    assertThat(status).as("nothing is dispatched elsewhere").isIn(PENDING, RUNNING);
    assertThat(holder).as("one holder at most").isEmpty();
    assertThat(lost).as("a lost last attempt is not followed").isFalse();
    assertThat(event.at()).as("not before it is due").isAfterOrEqualTo(due);
    assertThat(event.attempt()).isEqualTo(nextAttempt).isLessThanOrEqualTo(allowed);
    assertThat(grant.isPresent()).as("a worker's").isEqualTo(isWork());
    grant.ifPresent(
        given -> {
          assertThat(given.fence().value()).as("fences only rise").isGreaterThan(fence);
          fence = given.fence().value();
          assertThat(event.actor())
              .isEqualTo(new Actor(given.worker(), given.nonce(), PrincipalName.NONE));
        });
    attempt = event.attempt();
    hasStarted = true;
    startBy = Optional.empty();
    attemptUntil =
        definition
            .step(done)
            .work()
            .flatMap(StepDefinition.Work::attemptTimeout)
            .map(event.at()::plus);
    holder = grant;
    inDoubt = false;
    mayWaitAgain = grant.isEmpty();
    moveStep(done, StepStatus.RUNNING);
    return RUNNING;
  }

  /** Only its holder ends an attempt. */
  private void requireHolder(RunEvent event) {
    assertThat(holder.map(grant -> new Actor(grant.worker(), grant.nonce(), PrincipalName.NONE)))
        .contains(event.actor());
    holder = Optional.empty();
  }

  private RunStatus completed(RunEvent event, RunChange.StepCompleted completed) {
    switch (kind()) {
      case StepDefinition.Task _, StepDefinition.Code _ -> requireHolder(event);
      case StepDefinition.Timer _ -> {
        assertThat(steps.get(done)).isEqualTo(StepStatus.WAITING);
        assertThat(wait.until()).get().matches(until -> !event.at().isBefore(until), "is over");
      }
      case StepDefinition.Signal(var filter, _) -> {
        assertThat(steps.get(done)).isEqualTo(StepStatus.WAITING);
        assertThat(completed.consumed())
            .as("in order")
            .containsExactly(oldest(filter).orElseThrow());
      }
    }
    consume(completed.consumed());
    return next(event, completed.skipped() ? StepStatus.SKIPPED : StepStatus.COMPLETED);
  }

  private RunStatus next(RunEvent event, StepStatus end) {
    moveStep(done, end);
    done++;
    attempt = 0;
    nextAttempt = 1;
    allowed = budget(done, 0);
    due = event.at();
    failure = Optional.empty();
    return behindPause(RUNNING);
  }

  private void consume(List<String> ids) {
    ids.forEach(id -> assertThat(inbox.remove(id)).as("consumed once: " + id).isNotNull());
  }

  /** A step that may have had its only effect at the deadline fails as one in doubt. */
  private String deadline(RunEvent event, Failure why) {
    return event.actor().equals(Actor.SERVER) && why.code().equals(FailTask.UNKNOWN_EFFECT)
        ? why.message().split(":", 2)[0]
        : why.code();
  }

  private RunStatus failed(RunEvent event, Failure why) {
    var deadline = deadline(event, why);
    if (deadline.equals("RUN_TIMEOUT") || deadline.equals("NOT_STARTED_IN_TIME")) {
      missed(event, deadline);
      failure = Optional.of(why);
      moveStep(done, StepStatus.FAILED);
      return status;
    }
    if (lost) {
      lost = false;
    } else if (isWork()) {
      requireHolder(event);
    } else {
      assertThat(steps.get(done)).isEqualTo(StepStatus.WAITING);
      assertThat(kind()).isInstanceOf(StepDefinition.Signal.class);
      assertThat(wait.until()).get().matches(until -> !event.at().isBefore(until), "is over");
    }
    failure = Optional.of(why);
    moveStep(done, StepStatus.FAILED);
    return behindPause(RUNNING);
  }

  private RunStatus suspended(RunEvent event, RunChange.StepSuspended suspended) {
    if (mayWaitAgain) {
      mayWaitAgain = false;
    } else {
      requireHolder(event);
    }
    wait = suspended;
    moveStep(done, StepStatus.WAITING);
    return behindPause(WAITING);
  }

  private RunStatus resumed(RunEvent event, Optional<String> signalId) {
    assertThat(isWork()).isTrue();
    var isOver = wait.until().filter(until -> !event.at().isBefore(until)).isPresent();
    assertThat(wait.signal().flatMap(this::oldest))
        .as("what it waited for has come")
        .matches(oldest -> signalId.isPresent() ? oldest.equals(signalId) : isOver);
    assertThat(status).isEqualTo(WAITING);
    nextAttempt = attempt;
    allowed = budget(done, attempt);
    due = event.at();
    moveStep(done, StepStatus.RUNNING);
    return RUNNING;
  }

  private RunStatus retry(RunEvent event, RunChange.RetryScheduled retry) {
    requireHolder(event);
    assertThat(attempt).as("another attempt is allowed").isLessThan(allowed);
    assertThat(retry.due()).isAfterOrEqualTo(event.at());
    nextAttempt = attempt + 1;
    due = retry.due();
    return behindPause(RUNNING);
  }

  /** The run fails in any phase: nothing of it continues. */
  private void missed(RunEvent event, String why) {
    var first = deadline().orElseThrow();
    assertThat(first).as("a deadline is over").isBeforeOrEqualTo(event.at());
    assertThat(why)
        .isEqualTo(startBy.equals(Optional.of(first)) ? "NOT_STARTED_IN_TIME" : "RUN_TIMEOUT");
    assertThat(startBy.isPresent() && hasStarted).as("started in time").isFalse();
    holder = Optional.empty();
    lost = false;
  }

  /** A step that runs at most once keeps its holder, so that no other one starts it. */
  private RunStatus leaseLost(RunEvent event, RunChange.LeaseLost change) {
    var isOver = attemptUntil.filter(until -> !event.at().isBefore(until)).isPresent();
    assertThat(change.timedOut() && !isOver).as("the attempt is over").isFalse();
    assertThat(change.held()).isEqualTo(kind() instanceof StepDefinition.Task(_, var once) && once);
    if (!change.held()) {
      var next = leaseOver(event, attempt + 1);
      lost |= change.timedOut() && !isRetried("ATTEMPT_TIMEOUT");
      return next;
    }
    assertThat(holder).as("a lease").isPresent();
    inDoubt = true;
    return status;
  }

  private boolean isRetried(String code) {
    var retry = definition.step(done).work().orElseThrow().retry();
    return !retry.nonRetryable().contains(code)
        && (retry.retryOnly().isEmpty() || retry.retryOnly().contains(code));
  }

  private RunStatus leaseOver(RunEvent event, int next) {
    assertThat(holder).as("a lease").isPresent();
    holder = Optional.empty();
    nextAttempt = next;
    lost = next > attempt && attempt >= allowed;
    due = event.at();
    return behindPause(RUNNING);
  }

  private RunStatus givenBack(RunEvent event, Optional<Instant> offered) {
    if (!event.actor().equals(Actor.SERVER)) {
      assertThat(holder.map(grant -> Actor.holder(grant, PrincipalName.NONE)))
          .contains(event.actor());
    }
    var next = leaseOver(event, attempt);
    due = offered.orElse(due);
    assertThat(due).isAfterOrEqualTo(event.at());
    return next;
  }

  /** Recorded code is progress. */
  private RunStatus recorded(RunEvent event, RunChange.StepRecorded recorded) {
    ofPart(event, () -> parts.recorded(event, recorded));
    consume(recorded.consumed());
    allowed = budget(done, attempt);
    return status;
  }

  /** The holder reports about a part, and remains the holder. */
  private RunStatus ofPart(RunEvent event, Runnable change) {
    var still = holder;
    requireHolder(event);
    holder = still;
    change.run();
    return status;
  }

  private RunStatus received(RunChange.SignalReceived signal) {
    assertThat(inbox.put(signal.signalId(), signal)).as("received once").isNull();
    return status;
  }

  private RunStatus unpaused() {
    assertThat(status).isEqualTo(PAUSED);
    if (done < steps.size() && steps.get(done) == StepStatus.WAITING) {
      moveStep(done, StepStatus.RUNNING);
      mayWaitAgain = true;
    }
    return RUNNING;
  }

  private RunStatus retried(RunEvent event) {
    assertThat(status).isEqualTo(FAILED);
    parts.retried(event, failure.orElseThrow());
    return reopened(event);
  }

  /** A run that continues after its failure has its whole time again. */
  private RunStatus again(RunEvent event) {
    if (status == FAILED) {
      startBy = Optional.empty();
      endBy = timeout.map(event.at()::plus);
    }
    return hasStarted ? behindPause(RUNNING) : PENDING;
  }

  /** Another attempt, with a new budget. */
  private RunStatus reopened(RunEvent event) {
    allowed = budget(done, attempt);
    nextAttempt = attempt + 1;
    due = event.at();
    lost = false;
    mayWaitAgain = false;
    if (done < steps.size()) {
      moveStep(done, StepStatus.RUNNING);
    }
    failure = Optional.empty();
    return again(event);
  }

  /** A part is settled while no worker runs the code; then the code runs again. */
  private RunStatus partSettled(RunEvent event, String name, RunChange.Verdict verdict) {
    assertThat(holder).as("no holder").isEmpty();
    assertThat(event.actor().nonce()).isZero();
    var isCause = failure.filter(why -> why.part().equals(name)).isPresent();
    if (parts.state(done, name).equals(Optional.of(ChronicledParts.State.FAILED))) {
      assertThat(isCause).as("failed the run: " + name).isTrue();
    }
    parts.settled(event, name, verdict);
    return status == FAILED && !isCause ? FAILED : reopened(event);
  }

  private RunStatus stepSettled(RunEvent event, RunChange.Verdict verdict) {
    assertThat(status == FAILED || (holder.isPresent() && inDoubt)).as("settleable").isTrue();
    var running = behindPause(RUNNING);
    holder = Optional.empty();
    return switch (verdict) {
      case RunChange.Verdict.Complete _ -> {
        next(event, StepStatus.COMPLETED);
        hasStarted = true;
        yield again(event);
      }
      case RunChange.Verdict.Skip _ -> {
        next(event, StepStatus.SKIPPED);
        hasStarted = true;
        yield again(event);
      }
      case RunChange.Verdict.Fail(var why) -> {
        failure = Optional.of(why);
        if (status != FAILED) {
          moveStep(done, StepStatus.FAILED);
        }
        yield status == FAILED ? FAILED : running;
      }
      case RunChange.Verdict.Repeat _ -> reopened(event);
    };
  }

  private RunStatus runCompleted() {
    assertThat(done).as("all steps are done").isEqualTo(steps.size());
    return COMPLETED;
  }

  private RunStatus runFailed(RunEvent event, Failure why) {
    if (failure.isEmpty()) {
      assertThat(status).as("only a pause delays the end").isEqualTo(PAUSED);
      assertThat(done).isEqualTo(steps.size());
      missed(event, why.code());
      failure = Optional.of(why);
    }
    assertThat(failure).contains(why);
    return FAILED;
  }

  private RunStatus cancelled() {
    holder = Optional.empty();
    for (var step = 0; step < steps.size(); step++) {
      if (moves(steps.get(step)).contains(StepStatus.CANCELLED)) {
        moveStep(step, StepStatus.CANCELLED);
      }
    }
    return CANCELLED;
  }
}
