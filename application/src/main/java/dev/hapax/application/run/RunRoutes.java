package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SiftInbox;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Where a run goes after each decision: to its queue's workers, to the timer, to its inbox. */
final class RunRoutes {
  private final Ledger ledger;
  private final RunReads reads;
  private final InstantSource clock;
  private final DueRuns due;
  private final Dispatch dispatch;
  private final FailureLog siftLog = new FailureLog(RunRoutes.class, "match of buffered signals");

  RunRoutes(Ledger ledger, RunReads reads, InstantSource clock, DueRuns due, Dispatch dispatch) {
    this.ledger = ledger;
    this.reads = reads;
    this.clock = clock;
    this.due = due;
    this.dispatch = dispatch;
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
      due.remove(run.id());
    } else if (run.phase() instanceof Phase.Waiting waiting && waiting.unsifted()) {
      sift(run, waiting.signal().orElse(""));
    } else if (run.queue().isPresent() && !now.isBefore(at.get())) {
      due.remove(run.id());
      dispatch.offer(run.id(), run.queue().get());
    } else {
      wait(run, Duration.between(now, at.get()));
    }
  }

  /** The timer queries the database for what no queue has, and would find this in time. */
  private void wait(Run run, Duration time) {
    if (run.queue().isEmpty() && time.compareTo(RunTimer.AHEAD) > 0) {
      due.remove(run.id());
    } else {
      due.put(run.id(), clock.instant().plus(time));
    }
  }

  private void sift(Run run, String type) {
    var _ =
        reads
            .firstOf(run.id(), type)
            .thenCompose(
                found -> ledger.submit(new SiftInbox(run.id(), run.version(), signal(found))))
            .thenAccept(after -> after.ifPresent(this::saw))
            .whenComplete(
                (_, failure) -> {
                  if (failure != null) {
                    // the timer will find the run again
                    siftLog.failed(failure);
                  }
                });
  }

  private static Optional<SiftInbox.Found> signal(Optional<RunReads.Received> found) {
    return found.map(s -> new SiftInbox.Found(s.signalId(), s.type(), s.payload()));
  }
}
