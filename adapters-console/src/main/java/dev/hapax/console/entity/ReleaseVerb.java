package dev.hapax.console.entity;

import dev.hapax.v1.EntityClaim;
import dev.hapax.v1.RecoveryOutcome;

/** The change of an entity that an operator releases from its holder. */
public enum ReleaseVerb {
  REVERT("Release", "release", RecoveryOutcome.RECOVERY_OUTCOME_REVERT),
  COMPLETE("Release as done", "release-as-done", RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);

  private final String title;
  private final String word;
  private final RecoveryOutcome outcome;

  ReleaseVerb(String title, String word, RecoveryOutcome outcome) {
    this.title = title;
    this.word = word;
    this.outcome = outcome;
  }

  public String title() {
    return title;
  }

  /** The segment of its address. */
  public String word() {
    return word;
  }

  RecoveryOutcome outcome() {
    return outcome;
  }

  String effect(EntityClaim claim) {
    return switch (this) {
      case REVERT ->
          "The entity goes back to %s. Do this only if the action was not done."
              .formatted(claim.getRevertTo());
      case COMPLETE ->
          "The entity goes to the status after step %s, and the after-effect of the step starts. Do this only if the action was done."
              .formatted(claim.getStepKey());
    };
  }
}
