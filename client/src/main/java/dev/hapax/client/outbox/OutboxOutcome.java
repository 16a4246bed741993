package dev.hapax.client.outbox;

import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.ErrorReason;
import org.jspecify.annotations.Nullable;

/** The outcome of an intent that was sent. */
sealed interface OutboxOutcome {

  /** The server answered: the intent leaves the outbox. */
  record Delivered() implements OutboxOutcome {}

  /** The server rejected it for good: it stays as a failed intent. */
  record Failed(String reason, String detail) implements OutboxOutcome {}

  /** The inbox of the run is full: the intent and its lanes wait. */
  record Deferred() implements OutboxOutcome {}

  /** The server could not be reached, or rejects the relay itself: the same call is sent again. */
  record Undelivered(RuntimeException cause) implements OutboxOutcome {}

  /** With the pauses of {@link OutboxTable}, about a day. */
  int MOST_TRIES = 300;

  /** Decides what the answer or the error of a call means for its intent. */
  static OutboxOutcome of(OutboxIntent intent, @Nullable Throwable error) {
    if (error == null) {
      return new Delivered();
    }
    RuntimeException cause = UnaryCalls.toException(error);
    if (!(cause instanceof HapaxException.Refused refused)
        // not from Hapax, but from a proxy on the way
        || refused.reason() == ErrorReason.ERROR_REASON_UNSPECIFIED) {
      return new Undelivered(cause);
    }
    if (refused.reason() == ErrorReason.ERROR_REASON_INBOX_FULL && intent.tries() < MOST_TRIES) {
      return new Deferred();
    }
    String description = refused.status().getStatus().getDescription();
    return new Failed(
        refused.reason().name().replaceFirst("^ERROR_REASON_", ""),
        description == null ? "" : description);
  }
}
