package dev.hapax.application.entity;

import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.RecoveryClaim;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A claim that holds nothing. What its holder asked for may have been done before: the entity knows
 * of the last grant alone, its history of all.
 *
 * @param ended what its holder did to end it, if it did
 */
public record LostClaim(
    EntityReads reads,
    EntityId entity,
    ActionClaimLost lost,
    CompletableFuture<Optional<EntityEvent>> ended) {

  public static LostClaim of(ActionClaim claim, ActionClaimLost lost, EntityReads reads) {
    return new LostClaim(reads, claim.entity(), lost, reads.endedBy(claim));
  }

  public static LostClaim of(RecoveryClaim claim, ActionClaimLost lost, EntityReads reads) {
    return new LostClaim(reads, claim.entity(), lost, reads.endedBy(claim));
  }

  /**
   * What its holder is told.
   *
   * @param how what it asks for
   * @param already the answer if it had done that
   * @param otherwise the answer with the reason if it had not
   */
  public <O> CompletableFuture<O> told(
      EndedGrant.How how, Function<Entity, O> already, Function<ActionClaimLost, O> otherwise) {
    return ended.thenCompose(
        event -> {
          var end = event.flatMap(EndedGrant::byHolder);
          return end.filter(is -> is.how() == how).isEmpty()
              ? CompletableFuture.completedFuture(otherwise.apply(because(end)))
              : reads
                  .find(entity)
                  .thenApply(found -> found.map(already).orElseGet(() -> otherwise.apply(lost)));
        });
  }

  /** The loss, with the reason that the history knows. */
  CompletableFuture<ActionClaimLost> loss() {
    return ended.thenApply(event -> because(event.flatMap(EndedGrant::byHolder)));
  }

  private ActionClaimLost because(Optional<EndedGrant> end) {
    return end.map(EndedGrant::reason).map(ActionClaimLost::new).orElse(lost);
  }
}
