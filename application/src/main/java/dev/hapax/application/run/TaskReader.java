package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the parts of a task beside its run. Signals, the run's parts and signal outputs are
 * required; the last failure is only information, so it may be missing.
 */
record TaskReader(RunReads reads) {
  /**
   * Half the size limit of a task; the ids, types and names of 100 signals fit into the other half.
   */
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
    var parts =
        run.named() == 0
            ? CompletableFuture.completedFuture(RunReads.Parts.NONE)
            : reads.parts(run.id(), run.position().step());
    var signalSteps = run.definition().signalStepsBefore(run.position().step());
    var outputs = signalOutputs(run, signalSteps);
    var failure = new LastFailure(run, reads).find().exceptionally(_ -> Optional.<Failure>empty());
    return CompletableFuture.allOf(waking, parts, outputs, failure)
        .thenApply(
            _ ->
                new Task(
                    run,
                    granted.leaseRemaining(),
                    granted.attemptRemaining(),
                    failure.join(),
                    signals.join().stream().limit(Task.MAX_LISTED).toList(),
                    signals.join().size() > Task.MAX_LISTED,
                    waking.join(),
                    parts.join(),
                    outputs.join(),
                    outputs.join().size() < signalSteps.size()));
  }

  /**
   * No worker can skip a signal step, so the output of the one that has just ended is the run's.
   */
  private CompletableFuture<List<RunReads.SignalOutput>> signalOutputs(
      Run run, List<Integer> steps) {
    if (steps.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return steps.equals(List.of(run.position().step() - 1))
        ? CompletableFuture.completedFuture(
            List.of(new RunReads.SignalOutput(steps.getFirst(), run.output())))
        : reads.signalOutputs(run.id(), steps.stream().limit(Task.MAX_LISTED).toList());
  }

  /** Whether the signals may not all fit into the task. */
  private static boolean isCrowded(List<RunReads.Received> inbox) {
    return inbox.size() > Task.MAX_LISTED
        || inbox.stream().flatMap(signal -> signal.payload().stream()).mapToInt(Payload::size).sum()
            > CROWDED_BYTES;
  }
}
