package dev.hapax.application.run;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** What a poll that is sent again was granted before, and still holds. */
final class EarlierGrants {
  private final Ledger ledger;
  private final RunReads reads;
  private final ForeignPolls foreign;
  private final RecentPolls recent = new RecentPolls();

  EarlierGrants(Ledger ledger, RunReads reads, ForeignPolls foreign) {
    this.ledger = ledger;
    this.reads = reads;
    this.foreign = foreign;
  }

  void keep(PollRequest request, List<Run> granted) {
    request
        .attempt()
        .filter(_ -> !granted.isEmpty())
        .ifPresent(attempt -> recent.keep(attempt, granted.stream().map(Run::id).toList()));
  }

  CompletableFuture<List<Run>> of(PollRequest request) {
    if (request.attempt().isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    var attempt = request.attempt().get();
    var here = recent.of(attempt);
    var known =
        here.isEmpty() && foreign.mayHaveServed()
            ? reads.polled(request.workspace(), attempt)
            : CompletableFuture.completedFuture(here);
    return known.thenCompose(runs -> renewed(request, attempt, runs));
  }

  /** The same grants with the same fences, and whole leases. */
  private CompletableFuture<List<Run>> renewed(
      PollRequest request, UUID attempt, List<RunId> runs) {
    var claims =
        runs.stream()
            .map(
                run ->
                    ledger.submit(
                        new ClaimTask(run, "", request.worker(), Optional.of(attempt), 0)))
            .toList();
    return CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
        .thenApply(
            _ ->
                claims.stream()
                    .map(CompletableFuture::join)
                    .filter(ClaimTaskOutcome.Claimed.class::isInstance)
                    .map(claimed -> ((ClaimTaskOutcome.Claimed) claimed).run())
                    .toList());
  }
}
