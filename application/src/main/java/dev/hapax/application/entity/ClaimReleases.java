package dev.hapax.application.entity;

import dev.hapax.application.run.Runs;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.entity.ReleaseClaimOutcome;
import dev.hapax.domain.ledger.Ledger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Releases claims on behalf of operators. */
record ClaimReleases(Ledger ledger, EntityReads reads, Runs runs) {
  /** Releases a claim; a repeated request changes nothing. */
  CompletableFuture<ReleaseClaimOutcome> release(ReleaseClaim command) {
    return reads
        .isReleased(command.entity(), command.requestId())
        .thenCompose(
            already ->
                already
                    ? reads.find(command.entity()).thenApply(ClaimReleases::released)
                    : decide(command));
  }

  private static ReleaseClaimOutcome released(Optional<Entity> found) {
    return found
        .<ReleaseClaimOutcome>map(
            entity -> new ReleaseClaimOutcome.Released(entity, Optional.empty(), true))
        .orElseGet(ReleaseClaimOutcome.NotFound::new);
  }

  private CompletableFuture<ReleaseClaimOutcome> decide(ReleaseClaim command) {
    return ledger
        .submit(command)
        .thenApply(
            outcome -> {
              if (outcome instanceof ReleaseClaimOutcome.Released(_, var effect, _)) {
                effect.ifPresent(runs::onRunChanged);
              }
              return outcome;
            });
  }
}
