package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunReads;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Finds the last failure of the current step among the last events of a run. */
record LastFailure(Run run, RunReads reads) {
  private static final int WINDOW = 50;

  CompletableFuture<Optional<Failure>> find() {
    return run.position().attempt() <= 1
        ? CompletableFuture.completedFuture(Optional.empty())
        : find(Math.max(0, run.version() - WINDOW), Optional.empty());
  }

  private CompletableFuture<Optional<Failure>> find(long after, Optional<Failure> earlier) {
    return reads
        .events(run.id(), after, WINDOW)
        .thenCompose(
            page -> {
              var last =
                  page.items().stream()
                      .filter(event -> event.step() == run.position().step())
                      .map(RunEvent::change)
                      .flatMap(change -> change.findFailure().stream())
                      .reduce((_, later) -> later)
                      .or(() -> earlier);
              return page.next()
                  .map(next -> find(next, last))
                  .orElseGet(() -> CompletableFuture.completedFuture(last));
            });
  }
}
