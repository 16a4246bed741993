package dev.hapax.client.claim;

import dev.hapax.v1.RecoveryOutcome;

/** The result of a {@link RecoveryCheck}. */
public enum RecoveryVerdict {
  /** The action took effect: the entity makes its transition, as if its holder had completed it. */
  COMPLETE(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE),
  /**
   * The action had no effect and cannot have one any more: the entity returns to its former status.
   */
  REVERT(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);

  private final RecoveryOutcome message;

  RecoveryVerdict(RecoveryOutcome message) {
    this.message = message;
  }

  RecoveryOutcome toProto() {
    return message;
  }
}
