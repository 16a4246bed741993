package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.GrantReadyTask;
import dev.hapax.domain.run.MatchBufferedSignal;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Where a run goes after each decision: to its queue's workers, to the timer, to its inbox. */
final class RunDispatcher {
  private final Ledger ledger;
  private final RunReads reads;
  private final InstantSource clock;
  private final DueRunTimes due;
  private final PolledQueues dispatch;
  private final LongSupplier random;
  private final FailureLog siftLog =
      new FailureLog(RunDispatcher.class, "match of buffered signals");

  /**
   * Routes nothing yet.
   *
   * @param random draws nonces
   */
  RunDispatcher(
      Ledger ledger,
      RunReads reads,
      InstantSource clock,
      DueRunTimes due,
      PolledQueues dispatch,
      LongSupplier random) {
    this.ledger = ledger;
    this.reads = reads;
    this.clock = clock;
    this.due = due;
    this.dispatch = dispatch;
    this.random = random;
  }

  /**
   * Decides a command that may make a task ready. A poll that waits for it here gets it in the same
   * commit.
   *
   * @param run the one that the command may move; among its keys
   * @param moved the runs of an outcome, which go on from there
   */
  <O> CompletableFuture<O> submit(Command<O> command, RunId run, Function<O, Stream<Run>> moved) {
    var place = new ReservedPlace(dispatch, run.workspace(), random.getAsLong());
    var decided =
        ledger
            .submit(new GrantReadyTask<>(command, run, place))
            .thenApply(
                decision -> {
                  var granted = decision.task().map(Claimed::run);
                  var others =
                      moved
                          .apply(decision.outcome())
                          .filter(
                              found ->
                                  granted.filter(task -> task.id().equals(found.id())).isEmpty());
                  Stream.concat(others, granted.stream())
                      .forEach(found -> saw(found, decision.now()));
                  return decision;
                });
    // not before it was routed: a poll that has gone gives its task back
    var _ =
        decided.whenComplete(
            (decision, failure) ->
                place.decided(failure == null ? decision.task() : Optional.empty()));
    return decided.thenApply(GrantReadyTask.Decided::outcome);
  }

  /** The run of a claim, as its decision left it. */
  void saw(ClaimTaskOutcome claim) {
    switch (claim) {
      case Claimed(var run, _) -> saw(run);
      case ClaimTaskOutcome.NothingToDo(var run, var now) ->
          run.ifPresent(found -> saw(found, now));
    }
  }

  /** A run as a decision left it. */
  void saw(Run run) {
    saw(run, run.changedAt().orElseGet(clock::instant));
  }

  /**
   * A run as a decision found it.
   *
   * @param now by the database's clock
   */
  void saw(Run run, Instant now) {
    var at = run.due();
    if (at.isEmpty()) {
      due.remove(run);
    } else if (run.phase() instanceof Phase.Waiting waiting && waiting.inboxUnchecked()) {
      sift(run, waiting.signal().orElseThrow());
    } else if (run.queue().isPresent() && !now.isBefore(at.get())) {
      due.remove(run);
      dispatch.offer(run.id(), run.queue().get());
    } else {
      wait(run, Duration.between(now, at.get()));
    }
  }

  /** The timer queries the database for what no queue has, and would find this in time. */
  private void wait(Run run, Duration time) {
    if (run.queue().isEmpty() && time.compareTo(RunTimer.AHEAD) > 0) {
      due.remove(run);
    } else {
      due.put(run, clock.instant().plus(time));
    }
  }

  private void sift(Run run, SignalFilter filter) {
    var _ =
        reads
            .firstOf(run.id(), filter)
            .thenCompose(
                found ->
                    submit(
                        new MatchBufferedSignal(run.id(), run.version(), signal(found)),
                        run.id(),
                        Optional::stream))
            // the timer will find the run again
            .whenComplete(siftLog::ended);
  }

  private static Optional<MatchBufferedSignal.Found> signal(Optional<RunReads.Received> found) {
    return found.map(s -> new MatchBufferedSignal.Found(s.signalId(), s.payload()));
  }
}
