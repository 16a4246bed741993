package dev.hapax.domain.entity;

import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.World;
import java.time.Instant;

/** Who has an entity. */
public sealed interface ClaimState {
  /** Nobody. */
  record Free() implements ClaimState {}

  /** Somebody has it, and the entity is in a claim state for that long. */
  sealed interface Taken extends ClaimState {
    /** The action it was claimed for. */
    ActionGrant action();

    Instant leaseUntil();

    /** An expired lease only means that others may take over. */
    default boolean isStale(Instant now) {
      return !now.isBefore(leaseUntil());
    }

    /** Whether its holder is gone and this janitor frees it, by its contract as it is now. */
    default boolean isFreedBy(JanitorId janitor, JanitorMode mode, World world, Instant now) {
      return isStale(now)
          && action().module().equals(janitor.module())
          && world.get(janitor).filter(is -> is.covers(action().claim().into(), mode)).isPresent();
    }
  }

  /** Whoever acts on it. */
  record Claimed(ActionGrant action, Instant leaseUntil) implements Taken {
    /** A longer lease that still runs is kept. */
    Claimed renewedUntil(Instant until) {
      return until.isAfter(leaseUntil) ? new Claimed(action, until) : this;
    }
  }

  /** The module's janitor, which looks what became of the action. */
  record Recovering(ActionGrant action, RecoveryGrant recovery, Instant leaseUntil)
      implements Taken {
    Recovering renewedUntil(Instant until) {
      return until.isAfter(leaseUntil) ? new Recovering(action, recovery, until) : this;
    }
  }
}
