package dev.hapax.application.janitor;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.entity.RevertExpiredClaim;
import dev.hapax.domain.entity.RevertExpiredClaimOutcome;
import dev.hapax.domain.ledger.Ledger;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A sweep: reverts a bounded number of stuck entities of a module. Works in small batches to keep
 * the load low, and decides each revert again.
 *
 * @param by the janitor itself, or the operator who started the sweep
 */
record Sweep(Ledger ledger, EntityReads reads, Leases leases, Attribution by) {
  /** The largest number of claims in one sweep. */
  static final int AT_MOST = 2_000;

  /** Concurrent commands: fewer than a batch holds, so that each batch has room for callers. */
  static final int AT_ONCE = 100;

  /**
   * The result of a sweep.
   *
   * @param freed the number of claims it freed
   * @param complete whether the round ends: the sweep read all stuck entities, or freed none of a
   *     full page, which the next round reads again
   */
  record Swept(int freed, boolean complete) {}

  CompletableFuture<Swept> run() {
    return reads.stale(leases, AT_MOST).thenCompose(found -> sweep(found, 0, 0));
  }

  private CompletableFuture<Swept> sweep(List<EntityId> found, int from, int freed) {
    if (from == found.size()) {
      // a full page of which none is freed would be found again forever
      return CompletableFuture.completedFuture(
          new Swept(freed, found.size() < AT_MOST || freed == 0));
    }
    var until = Math.min(found.size(), from + AT_ONCE);
    var claims =
        found.subList(from, until).stream()
            .map(entity -> ledger.submit(new RevertExpiredClaim(entity, leases.janitor(), by)))
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

  private static int reverted(List<CompletableFuture<RevertExpiredClaimOutcome>> claims) {
    return (int)
        claims.stream()
            .filter(claim -> !claim.isCompletedExceptionally())
            .filter(claim -> claim.join() instanceof RevertExpiredClaimOutcome.Reverted)
            .count();
  }
}
