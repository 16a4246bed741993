package dev.hapax.client;

/** Thrown by an action whose request is invalid; the history of the entity says so. */
public final class InvalidAction extends WorkFailure {

  /**
   * An invalid request.
   *
   * @param message for people, such as the rule that it breaks; cut after 4 KiB
   */
  public InvalidAction(String message) {
    super(FailureKind.RETRYABLE, "INVALID", message, null);
  }
}
