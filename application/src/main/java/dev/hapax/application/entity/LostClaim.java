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
 * A lost claim whose call may have succeeded before. The entity only knows its last grant; the
 * history knows all.
 *
 * @param ended the event with which its holder ended the grant, if any
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
   * Determines the outcome of a call with this claim.
   *
   * @param how the way in which the call would end the grant
   * @param already the outcome if the grant had ended that way
   * @param otherwise the outcome with the reason if it had not
   */
  public <O> CompletableFuture<O> resolve(
      EndedGrant.How how, Function<Entity, O> already, Function<ActionClaimLost, O> otherwise) {
    return ended.thenCompose(
        event -> {
          var end = event.flatMap(EndedGrant::byHolder);
          return end.filter(is -> is.how() == how).isEmpty()
              ? CompletableFuture.completedFuture(otherwise.apply(withReason(end)))
              : reads
                  .find(entity)
                  .thenApply(found -> found.map(already).orElseGet(() -> otherwise.apply(lost)));
        });
  }

  /** The loss with the reason according to the history. */
  CompletableFuture<ActionClaimLost> loss() {
    return ended.thenApply(event -> withReason(event.flatMap(EndedGrant::byHolder)));
  }

  private ActionClaimLost withReason(Optional<EndedGrant> end) {
    return end.map(EndedGrant::reason).map(ActionClaimLost::new).orElse(lost);
  }
}
