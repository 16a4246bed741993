package dev.hapax.client.claim;

import dev.hapax.v1.RecoveryOutcome;

/** What a module found when it looked whether an action had been done. */
public enum RecoveryVerdict {
  /** It had: the entity moves on, as if its holder had said so. */
  COMPLETE(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE),
  /** It had not, and cannot be done any more: the entity goes back to where it was. */
  REVERT(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);

  private final RecoveryOutcome message;

  RecoveryVerdict(RecoveryOutcome message) {
    this.message = message;
  }

  RecoveryOutcome toProto() {
    return message;
  }
}
