package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.limit.EnterStep;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.GrantReadyTask;
import dev.hapax.domain.run.MatchBufferedSignal;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Dispatches a run after each decision: to the workers of its queue, to the timer or to its inbox.
 */
final class RunDispatcher {
  private final Ledger ledger;
  private final RunReads reads;
  private final InstantSource clock;
  private final DueRunTimes due;
  private final PolledQueues polledQueues;
  private final LongSupplier random;
  private final FailureLog matchLog =
      new FailureLog(RunDispatcher.class, "match of buffered signals");

  private final FailureLog entryLog = new FailureLog(RunDispatcher.class, "entry of limited steps");

  /**
   * Creates a dispatcher.
   *
   * @param random generates nonces
   */
  RunDispatcher(
      Ledger ledger,
      RunReads reads,
      InstantSource clock,
      DueRunTimes due,
      PolledQueues polledQueues,
      LongSupplier random) {
    this.ledger = ledger;
    this.reads = reads;
    this.clock = clock;
    this.due = due;
    this.polledQueues = polledQueues;
    this.random = random;
  }

  /**
   * Submits a command that may make a task ready. A waiting poll of this node gets the task in the
   * same commit.
   *
   * @param changed the runs that an outcome has changed
   */
  <O> CompletableFuture<O> submit(Command<O> command, Function<O, Stream<Run>> changed) {
    var reservation = new PollReservation(polledQueues, command.workspace(), random.getAsLong());
    var decided =
        ledger
            .submit(new GrantReadyTask<>(command, changed, reservation))
            .thenApply(
                decision -> {
                  var granted = decision.task().map(Claimed::run);
                  var others =
                      changed
                          .apply(decision.outcome())
                          .filter(
                              found ->
                                  granted.filter(task -> task.id().equals(found.id())).isEmpty());
                  Stream.concat(others, granted.stream())
                      .forEach(found -> onRunChanged(found, decision.now()));
                  return decision;
                });
    // after the run is dispatched: a poll that has ended returns its task
    var _ =
        decided.whenComplete(
            (decision, failure) ->
                reservation.decided(failure == null ? decision.task() : Optional.empty()));
    return decided.thenApply(GrantReadyTask.Decided::outcome);
  }

  /** Submits a command whose run may have reached a limited step. */
  <O> CompletableFuture<O> enter(EnterStep<O> command) {
    return submit(command, entered -> entered.runs().stream())
        .thenApply(EnterStep.Entered::outcome);
  }

  /** Dispatches the run of a claim after its decision. */
  void onClaimDecided(ClaimTaskOutcome claim) {
    switch (claim) {
      case Claimed claimed -> onRunChanged(claimed.run());
      case ClaimTaskOutcome.NothingToDo(var run, var now) ->
          run.ifPresent(found -> onRunChanged(found, now));
    }
  }

  /** Dispatches a run after a decision. */
  void onRunChanged(Run run) {
    onRunChanged(run, run.changedAt().orElseGet(clock::instant));
  }

  /**
   * Dispatches a run after a decision.
   *
   * @param now by the database's clock
   */
  void onRunChanged(Run run, Instant now) {
    if (run.phase() instanceof Phase.Waiting waiting && waiting.inboxUnchecked()) {
      matchBufferedSignal(run, waiting.signal().orElseThrow());
    } else if (run.needsTurn(now)) {
      wait(run, now, run.deadline(), false);
      // after a failure, the timer finds the run again
      var _ = enter(EnterStep.of(run)).whenComplete(entryLog::ended);
    } else if (run.queue().isPresent() && !now.isBefore(run.due().orElseThrow())) {
      wait(run, now, run.deadline(), false);
      polledQueues.offer(run.id(), run.queue().get());
    } else {
      wait(run, now, earlier(run.due(), run.deadline()), run.queue().isPresent());
    }
  }

  private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    return one.filter(at -> other.filter(at::isAfter).isEmpty()).or(() -> other);
  }

  /**
   * Times of the server later than {@link RunTimer#AHEAD} are left to the timer's query of the
   * database, which does not find those at which the run is offered to workers.
   */
  private void wait(Run run, Instant now, Optional<Instant> next, boolean isOffered) {
    var time = next.map(at -> Duration.between(now, at));
    if (time.filter(left -> isOffered || left.compareTo(RunTimer.AHEAD) <= 0).isPresent()) {
      due.put(run, clock.instant().plus(time.get()));
    } else {
      due.remove(run);
    }
  }

  private void matchBufferedSignal(Run run, SignalFilter filter) {
    var _ =
        reads
            .firstOf(run.id(), filter)
            .thenCompose(
                found ->
                    submit(
                        new MatchBufferedSignal(run.id(), run.version(), signal(found)),
                        Optional::stream))
            // after a failure, the timer finds the run again
            .whenComplete(matchLog::ended);
  }

  private static Optional<MatchBufferedSignal.Found> signal(Optional<RunReads.Received> found) {
    return found.map(s -> new MatchBufferedSignal.Found(s.signalId(), s.payload()));
  }
}
