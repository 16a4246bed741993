package dev.hapax.client.internal;

import dev.hapax.v1.NewSignal;
import java.util.UUID;

/** Fills in ids that the caller left empty, so that a repeated call sends the same one. */
public final class DrawnIds {

  private DrawnIds() {}

  /** The request id, or a random one if it is empty. */
  public static String requestId(String requestId) {
    return requestId.isEmpty() ? UUID.randomUUID().toString() : requestId;
  }

  /** The signal, with a random id if it has none. */
  public static NewSignal withId(NewSignal signal) {
    return signal.getSignalId().isEmpty()
        ? signal.toBuilder().setSignalId(UUID.randomUUID().toString()).build()
        : signal;
  }
}
