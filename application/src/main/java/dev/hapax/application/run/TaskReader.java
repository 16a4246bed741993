package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.RunReads;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads what belongs to a task beside its run. Without signals, records or outputs of signal steps
 * a worker would do wrong; without the last failure it only knows less, so that may be missing.
 */
record TaskReader(RunReads reads) {
  /** Half of what a task holds: ids, types and names of 100 signals take less than the other. */
  private static final int CROWDED_BYTES = 1 << 19;

  CompletableFuture<Task> of(Claimed granted) {
    var run = granted.run();
    var signals =
        run.inbox().unconsumed() == 0
            ? CompletableFuture.completedFuture(List.<RunReads.Received>of())
            : reads.inbox(run.id(), Task.MAX_LISTED + 1);
    var waking =
        signals.thenCompose(
            inbox ->
                isCrowded(inbox)
                    ? reads.wakingSignal(run.id(), run.position().step())
                    : CompletableFuture.completedFuture(Optional.<RunReads.Received>empty()));
    var recorded =
        run.named() == 0
            ? CompletableFuture.completedFuture(List.<RunReads.Recorded>of())
            : reads.recorded(run.id(), run.position().step(), Task.MAX_LISTED + 1);
    var signalSteps = run.definition().signalStepsBefore(run.position().step());
    var outputs =
        signalSteps.isEmpty()
            ? CompletableFuture.completedFuture(List.<RunReads.SignalOutput>of())
            : reads.signalOutputs(run.id(), signalSteps.stream().limit(Task.MAX_LISTED).toList());
    var failure = new LastFailure(run, reads).find().exceptionally(_ -> Optional.<Failure>empty());
    return CompletableFuture.allOf(waking, recorded, outputs, failure)
        .thenApply(
            _ ->
                new Task(
                    run,
                    granted.leaseRemaining(),
                    failure.join(),
                    signals.join().stream().limit(Task.MAX_LISTED).toList(),
                    signals.join().size() > Task.MAX_LISTED,
                    waking.join(),
                    recorded.join().stream().limit(Task.MAX_LISTED).toList(),
                    recorded.join().size() > Task.MAX_LISTED,
                    outputs.join(),
                    outputs.join().size() < signalSteps.size()));
  }

  /** Whether some signals may not fit into the task. */
  private static boolean isCrowded(List<RunReads.Received> inbox) {
    return inbox.size() > Task.MAX_LISTED
        || inbox.stream().flatMap(signal -> signal.payload().stream()).mapToInt(Payload::size).sum()
            > CROWDED_BYTES;
  }
}
