package dev.hapax.application.janitor;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.entity.SweepClaim;
import dev.hapax.domain.entity.SweepClaimOutcome;
import dev.hapax.domain.ledger.Ledger;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Takes back what is stuck in a module: a bounded number of claims, and few of them at once, so
 * that callers hardly notice. Each is decided anew.
 *
 * @param by of the sweep: the janitor itself, or an operator
 */
record Sweep(Ledger ledger, EntityReads reads, Leases leases, Attribution by) {
  /** So many in one go. */
  static final int AT_MOST = 2_000;

  /** Less than a batch, so that callers find room in each. */
  static final int AT_ONCE = 100;

  /**
   * What a sweep did.
   *
   * @param freed how many claims it took back
   * @param complete whether it saw all there were
   */
  record Swept(int freed, boolean complete) {}

  CompletableFuture<Swept> run() {
    return reads.stale(leases, AT_MOST).thenCompose(found -> sweep(found, 0, 0));
  }

  private CompletableFuture<Swept> sweep(List<EntityId> found, int from, int freed) {
    if (from == found.size()) {
      // those that stay as they are would be found again and again
      return CompletableFuture.completedFuture(
          new Swept(freed, found.size() < AT_MOST || freed == 0));
    }
    var until = Math.min(found.size(), from + AT_ONCE);
    var claims =
        found.subList(from, until).stream()
            .map(entity -> ledger.submit(new SweepClaim(entity, leases.janitor(), by)))
            .toList();
    return CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
        .handle((_, failure) -> failure)
        .thenCompose(
            failure -> {
              var freedNow = freed + reverted(claims);
              return failure == null
                  ? sweep(found, until, freedNow)
                  : CompletableFuture.completedFuture(new Swept(freedNow, false));
            });
  }

  private static int reverted(List<CompletableFuture<SweepClaimOutcome>> claims) {
    return (int)
        claims.stream()
            .filter(claim -> !claim.isCompletedExceptionally())
            .filter(claim -> claim.join() instanceof SweepClaimOutcome.Reverted)
            .count();
  }
}
