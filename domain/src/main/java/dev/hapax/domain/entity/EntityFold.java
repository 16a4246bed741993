package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.Optional;

/** What an event makes of an entity: the only place where entities change. */
record EntityFold(Entity before, long version, Instant at, Actor by, EntityChange change) {
  private static final ClaimState FREE = new ClaimState.Free();

  Entity after() {
    return switch (change) {
      case EntityChange.Created _ -> throw new IllegalStateException("an entity is created once");
      case EntityChange.Deleted _ -> throw new IllegalStateException("nothing is left of it");
      case EntityChange.ActionBegan(var grant) ->
          // how long it is held is no part of the history; whoever decided knows
          taken(grant.claim().into(), grant.fence(), new ClaimState.Claimed(grant, at));
      case EntityChange.ActionCompleted(_, _, var status, var fence, _) ->
          freed(status, fence, own());
      case EntityChange.ActionFailed _ -> freed(action().claim().revertTo(), before.fence(), own());
      case EntityChange.ClaimReverted(var fence, _) ->
          freed(action().claim().revertTo(), fence, lost(EndedGrant.How.LEASE_LOST));
      case EntityChange.RecoveryBegan(var grant) ->
          taken(before.status(), grant.fence(), new ClaimState.Recovering(action(), grant, at));
      case EntityChange.Recovered(var verdict) -> freed(found(verdict), before.fence(), own());
      case EntityChange.ClaimReleased(_, _, var fence, var verdict) ->
          freed(found(verdict), fence, lost(EndedGrant.How.RELEASED));
    };
  }

  private ActionGrant action() {
    return before
        .taken()
        .map(ClaimState.Taken::action)
        .orElseThrow(() -> new IllegalStateException("nobody has the entity"));
  }

  private String found(RecoveryVerdict verdict) {
    return switch (verdict) {
      case COMPLETE -> action().move().to();
      case REVERT -> action().claim().revertTo();
    };
  }

  private Optional<EndedGrant> own() {
    return EndedGrant.byHolder(new EntityEvent(version, at, by, before.status(), change));
  }

  /** Of the one who had it. */
  private Optional<EndedGrant> lost(EndedGrant.How how) {
    var nonce =
        switch (before.hold()) {
          case ClaimState.Recovering recovering -> recovering.recovery().nonce();
          case ClaimState.Claimed _, ClaimState.Free _ -> action().nonce();
        };
    return Optional.of(new EndedGrant(nonce, version, how));
  }

  private Entity taken(String status, Fence fence, ClaimState hold) {
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
        before.news());
  }
}
