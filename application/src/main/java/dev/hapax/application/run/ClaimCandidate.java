package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A run that a queue offers to a poll; the claim decides whether the poll gets its task. */
record ClaimCandidate(RunId run, TaskQueue queue) {
  private static final FailureLog CLAIMS = new FailureLog(ClaimCandidate.class, "claim of a task");
  private static final Duration BUSY_PAUSE = Duration.ofMillis(50);

  /**
   * The result of a claim.
   *
   * @param outcome null = the claim failed, and its effect is unknown
   * @param pause before the next claim
   */
  record ClaimAttempt(@Nullable ClaimTaskOutcome outcome, Duration pause) {}

  /** Claims the task. The future never fails; an unclaimed task stays in its queue. */
  CompletableFuture<ClaimAttempt> claim(Ledger ledger, PollRequest poll, long nonce) {
    return ledger
        .submit(
            new ClaimTask(
                run, queue.name(), poll.worker(), poll.attempt(), nonce, poll.principal()))
        .handle(
            (outcome, failure) ->
                failure == null ? new ClaimAttempt(outcome, Duration.ZERO) : failed(failure));
  }

  private ClaimAttempt failed(Throwable failure) {
    CLAIMS.failed(failure);
    if (failure instanceof LedgerException.Overloaded overloaded) {
      queue.putBack(run);
      var advised = overloaded.retryAfter();
      return new ClaimAttempt(null, advised.compareTo(BUSY_PAUSE) > 0 ? advised : BUSY_PAUSE);
    }
    queue.rescanAll();
    return new ClaimAttempt(null, BUSY_PAUSE);
  }
}
