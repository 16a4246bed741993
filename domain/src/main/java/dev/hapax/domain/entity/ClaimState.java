package dev.hapax.domain.entity;

import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;

/** The claim on an entity: free, claimed by a caller, or under recovery. */
public sealed interface ClaimState {
  /** No caller holds the entity. */
  record Free() implements ClaimState {}

  /** A caller or a recovery holds the entity, which is in a claim status meanwhile. */
  sealed interface Held extends ClaimState {
    /** The grant of the action. */
    ActionGrant action();

    Instant leaseUntil();

    /** Whether the lease has expired; the claim stays valid until another one replaces it. */
    default boolean isStale(Instant now) {
      return !now.isBefore(leaseUntil());
    }

    /**
     * Whether the lease has expired and the current contract of this janitor covers the claim
     * status.
     */
    default boolean isFreedBy(
        JanitorId janitor, JanitorMode mode, BatchRecords records, Instant now) {
      return isStale(now)
          && action().module().equals(janitor.module())
          && records
              .get(janitor)
              .filter(is -> is.covers(action().claim().into(), mode))
              .isPresent();
    }
  }

  /** A caller acts on the entity. */
  record Claimed(ActionGrant action, Instant leaseUntil) implements Held {
    /** Renews the lease, but never shortens it. */
    Claimed renewedUntil(Instant until) {
      return until.isAfter(leaseUntil) ? new Claimed(action, until) : this;
    }
  }

  /** The module's janitor finds out whether the action took effect. */
  record Recovering(ActionGrant action, RecoveryGrant recovery, Instant leaseUntil)
      implements Held {
    Recovering renewedUntil(Instant until) {
      return until.isAfter(leaseUntil) ? new Recovering(action, recovery, until) : this;
    }
  }
}
