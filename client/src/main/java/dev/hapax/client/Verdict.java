package dev.hapax.client;

import dev.hapax.v1.RecoveryOutcome;

/** Whether an action took effect whose holder did not end it. */
public enum Verdict {
  /** It did: the entity makes its transition, as if its holder had completed it. */
  COMPLETE(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE),
  /** It did not, and cannot any more: the entity returns to its former status. */
  REVERT(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);

  private final RecoveryOutcome message;

  Verdict(RecoveryOutcome message) {
    this.message = message;
  }

  RecoveryOutcome message() {
    return message;
  }
}
