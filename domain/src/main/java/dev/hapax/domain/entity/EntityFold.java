package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.Optional;

/** Applies an event to an entity: the only place where entities change. */
record EntityFold(Entity before, long version, Instant at, Actor actor, EntityChange change) {
  private static final ClaimState FREE = new ClaimState.Free();

  Entity after() {
    return switch (change) {
      case EntityChange.Created _ ->
          throw new IllegalStateException("an entity can be created only once");
      case EntityChange.Deleted _ ->
          throw new IllegalStateException("a deleted entity has no state");
      case EntityChange.ActionBegan(var grant) ->
          // the lease is not part of the history; the command sets it
          held(grant.claim().into(), grant.fence(), new ClaimState.Claimed(grant, at));
      case EntityChange.ActionCompleted(_, _, var status, var fence, _) ->
          freed(status, fence, own());
      case EntityChange.ActionFailed _ -> freed(action().claim().revertTo(), before.fence(), own());
      case EntityChange.ClaimReverted(var fence, _) ->
          freed(action().claim().revertTo(), fence, lost(EndedGrant.How.LEASE_LOST));
      case EntityChange.RecoveryBegan(var grant) ->
          held(before.status(), grant.fence(), new ClaimState.Recovering(action(), grant, at));
      case EntityChange.Recovered(var verdict, _) ->
          freed(statusOf(verdict), before.fence(), own());
      case EntityChange.ClaimReleased(_, _, var fence, var verdict) ->
          freed(statusOf(verdict), fence, lost(EndedGrant.How.RELEASED));
    };
  }

  private ActionGrant action() {
    return before
        .held()
        .map(ClaimState.Held::action)
        .orElseThrow(() -> new IllegalStateException("the entity is not held"));
  }

  private String statusOf(RecoveryVerdict verdict) {
    return switch (verdict) {
      case COMPLETE -> action().transition().to();
      case REVERT -> action().claim().revertTo();
    };
  }

  private Optional<EndedGrant> own() {
    return EndedGrant.byHolder(new EntityEvent(version, at, actor, before.status(), change));
  }

  /** The end of the current holder's grant. */
  private Optional<EndedGrant> lost(EndedGrant.How how) {
    var nonce =
        switch (before.hold()) {
          case ClaimState.Recovering recovering -> recovering.recovery().nonce();
          case ClaimState.Claimed _, ClaimState.Free _ -> action().nonce();
        };
    return Optional.of(new EndedGrant(nonce, version, how));
  }

  private Entity held(String status, Fence fence, ClaimState hold) {
    return next(status, fence, hold, before.last());
  }

  private Entity freed(String status, Fence fence, Optional<EndedGrant> ended) {
    return next(status, fence, FREE, ended);
  }

  private Entity next(String status, Fence fence, ClaimState hold, Optional<EndedGrant> last) {
    var released =
        change instanceof EntityChange.ClaimReleased(var request, _, _, _)
            ? Optional.of(request)
            : before.released();
    return new Entity(
        before.id(),
        status,
        version,
        fence,
        hold,
        last,
        released,
        before.createdAt(),
        before.newEvents());
  }
}
