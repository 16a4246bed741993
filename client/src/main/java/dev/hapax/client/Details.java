package dev.hapax.client;

import dev.hapax.v1.Payload;
import org.jspecify.annotations.Nullable;

/** The details of a task for its next attempt; they are sent with its next renewal. */
final class Details {

  /** Keeps what is stored. */
  static final Payload NONE = Payload.getDefaultInstance();

  // guarded by this; null = they are stored
  private @Nullable Payload unsent;

  synchronized void put(Payload details) {
    unsent = details;
  }

  /** Returns the details to send, or {@link #NONE}. */
  synchronized Payload unsent() {
    return unsent == null ? NONE : unsent;
  }

  synchronized void stored(Payload sent) {
    if (sent.equals(unsent)) {
      unsent = null;
    }
  }
}
