package dev.hapax.domain.lifecycle;

/** The rules and warnings for lifecycles. Their codes are stable. */
public enum LifecycleRule {
  TUPLE(
      "rule-1-tuple",
      "Write [\"status while claimed\", \"status to go back to\"], or a map of such arrays."),
  KNOWN("rule-2-known-status", "Add it to status_types, or correct its name."),
  NO_OP("rule-3-no-op", "Let the first element be a status of its own, such as \"closing\"."),
  FROM_STATUS(
      "rule-4-from-status",
      "Claim into another status than that of the step, or a second caller would pass too."),
  TO_STATUS(
      "rule-5-to-status",
      "Claim into another status than successful_state, or success would change nothing."),
  ONE_REVERT(
      "rule-6-one-revert",
      "Give each its own claim state: a stuck entity must have exactly one status to revert to."),
  STATUS("unknown-status", "Add it to status_types, or correct its name."),
  TWICE("duplicate", "Give it another name, or remove one."),
  UNCLAIMED(
      "claim-state-unclaimed",
      "Only a claim may lead there: no janitor frees an entity that is in it without a claim."),
  NON_IDEMPOTENT(
      "non-idempotent-unclaimed",
      "Give it a claim state, so that one caller at a time acts; or take the action off"
          + " non_idempotent_actions."),
  CLAIM_WITHOUT_ACTION(
      "claim-without-action", "Name the action that needs the claim, or do without it."),
  FROM_CLAIM(
      "from-claim-state",
      "Let it begin in another status: the holder of the entity has to complete or fail first."),
  NOT_ALLOWED("not-allowed", "Give it a successful_state, or it may not take the step."),
  UNUSED("unused-name", "Correct it to the name that a step has, or remove it."),
  UNREACHABLE(
      "unreachable",
      "Ignore this if entities are created in the status; otherwise add a step to it."),
  DEAD_END("dead-end", "Ignore this if the status is final; otherwise add a step from it.");

  private final String code;
  private final String advice;

  LifecycleRule(String code, String advice) {
    this.code = code;
    this.advice = advice;
  }

  public String code() {
    return code;
  }

  public String advice() {
    return advice;
  }
}
