package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.RunReads;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads what belongs to a task beside its run. Without its signals or records a worker would do
 * wrong; without the last failure it only knows less, so that one may be missing.
 */
record TaskReading(RunReads reads) {

  CompletableFuture<Task> of(Claimed granted) {
    var run = granted.run();
    var signals =
        run.inbox().unconsumed() == 0
            ? CompletableFuture.completedFuture(List.<RunReads.Received>of())
            : reads.inbox(run.id(), Task.MAX_LISTED + 1);
    var recorded =
        run.named() == 0
            ? CompletableFuture.completedFuture(List.<RunReads.Recorded>of())
            : reads.recorded(run.id(), run.position().step(), Task.MAX_LISTED + 1);
    var failure = new LastFailure(run, reads).find().exceptionally(_ -> Optional.<Failure>empty());
    return CompletableFuture.allOf(signals, recorded, failure)
        .thenApply(
            _ ->
                new Task(
                    run,
                    granted.leaseRemaining(),
                    failure.join(),
                    signals.join().stream().limit(Task.MAX_LISTED).toList(),
                    signals.join().size() > Task.MAX_LISTED,
                    recorded.join().stream().limit(Task.MAX_LISTED).toList(),
                    recorded.join().size() > Task.MAX_LISTED));
  }
}
