package dev.hapax.outbox;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ErrorReason;
import java.util.concurrent.CompletionException;
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
  record Undelivered(Throwable cause) implements OutboxOutcome {}

  /** With the pauses of {@link OutboxTable}, about a day. */
  int MOST_TRIES = 300;

  /** Decides what the answer or the error of a call means for its intent. */
  static OutboxOutcome of(OutboxIntent intent, @Nullable Throwable error) {
    if (error == null) {
      return new Delivered();
    }
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (!(cause instanceof HapaxException.Refused refused)
        // not from Hapax, but from a proxy on the way
        || refused.reason() == ErrorReason.ERROR_REASON_UNSPECIFIED) {
      return new Undelivered(cause == null ? error : cause);
    }
    if (refused.reason() == ErrorReason.ERROR_REASON_INBOX_FULL && intent.tries() < MOST_TRIES) {
      return new Deferred();
    }
    return new Failed(
        refused.reason().name().replaceFirst("^ERROR_REASON_", ""), refused.error().getMessage());
  }
}
