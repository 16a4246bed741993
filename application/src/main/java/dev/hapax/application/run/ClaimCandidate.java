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

/** A run that a queue offered to a poll; the claim decides whether the poll gets its task. */
record ClaimCandidate(RunId run, TaskQueue queue) {
  private static final FailureLog CLAIMS = new FailureLog(ClaimCandidate.class, "claim of a task");
  private static final Duration BUSY_PAUSE = Duration.ofMillis(50);

  /**
   * What came of a claim.
   *
   * @param outcome nothing = the claim failed, and may have happened or not
   * @param pause how long to wait before the next claim
   */
  record Attempted(@Nullable ClaimTaskOutcome outcome, Duration pause) {}

  /** Claims the task. Never fails; a task that was not claimed stays with its queue. */
  CompletableFuture<Attempted> claim(Ledger ledger, PollRequest poll, long nonce) {
    return ledger
        .submit(new ClaimTask(run, queue.name(), poll.worker(), poll.attempt(), nonce))
        .handle(
            (outcome, failure) ->
                failure == null ? new Attempted(outcome, Duration.ZERO) : failed(failure));
  }

  private Attempted failed(Throwable failure) {
    CLAIMS.failed(failure);
    if (failure instanceof LedgerException.Overloaded overloaded) {
      queue.putBack(run);
      var advised = overloaded.retryAfter();
      return new Attempted(null, advised.compareTo(BUSY_PAUSE) > 0 ? advised : BUSY_PAUSE);
    }
    queue.lost();
    return new Attempted(null, BUSY_PAUSE);
  }
}
