package dev.hapax.application.run;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads what belongs to a task beside its run: signals, what is recorded, the last failure. */
record TaskReading(RunReads reads, InstantSource clock) {

  /** The tasks of runs that were granted. */
  CompletableFuture<List<Task>> of(Handout granted) {
    var read = granted.runs().stream().map(this::of).toList();
    return CompletableFuture.allOf(read.toArray(CompletableFuture[]::new))
        .thenApply(
            _ ->
                read.stream()
                    .map(CompletableFuture::join)
                    .map(task -> task.afterWaiting(granted.waited()))
                    .toList());
  }

  /** The task of a run that is held. */
  CompletableFuture<Task> of(Run run) {
    var now = run.changedAt().orElseGet(clock::instant);
    var remaining =
        run.held().map(held -> Duration.between(now, held.leaseUntil())).orElse(Duration.ZERO);
    var signals =
        run.inbox().unconsumed() == 0
            ? CompletableFuture.completedFuture(List.<RunReads.Received>of())
            : reads.inbox(run.id(), Task.MAX_LISTED + 1);
    var recorded =
        run.named() == 0
            ? CompletableFuture.completedFuture(List.<RunReads.Recorded>of())
            : reads.recorded(run.id(), run.position().step(), Task.MAX_LISTED + 1);
    var failure = new LastFailure(run, reads).find();
    return CompletableFuture.allOf(signals, recorded, failure)
        .thenApply(
            _ ->
                new Task(
                    run,
                    remaining.isNegative() ? Duration.ZERO : remaining,
                    failure.join(),
                    signals.join().stream().limit(Task.MAX_LISTED).toList(),
                    signals.join().size() > Task.MAX_LISTED,
                    recorded.join().stream().limit(Task.MAX_LISTED).toList(),
                    recorded.join().size() > Task.MAX_LISTED));
  }
}
