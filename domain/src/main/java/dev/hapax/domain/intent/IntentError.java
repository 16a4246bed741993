package dev.hapax.domain.intent;

/** Why an intent failed, named as the reason of the rpc's error. */
public enum IntentError {
  DEFINITION_NOT_FOUND,
  IDEMPOTENCY_KEY_REUSED,
  RUN_NOT_FOUND,
  HOOK_NOT_FOUND,
  RUN_ENDED,
  INBOX_FULL,
  EVENT_LIMIT,
  ILLEGAL_TRANSITION,
  /** The arguments passed the checks of the function, but not those of the server. */
  INVALID_ARGUMENT,
  /** The server could not decide it because of a defect. */
  INTERNAL
}
