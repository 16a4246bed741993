package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A message to a run. Immutable: each method returns a copy. */
public final class SignalRequest {

  private final String id;
  private final String type;
  private final @Nullable Object payload;

  private SignalRequest(String id, String type, @Nullable Object payload) {
    this.id = KeyText.check("signalId", id);
    this.type = KeyText.check("type", type);
    this.payload = payload;
  }

  /**
   * Returns a signal without a payload.
   *
   * @param type selects the steps of the run that receive it, at most 255 characters; empty = any
   *     step that waits for a type
   */
  public static SignalRequest of(String type) {
    return new SignalRequest("", type, null);
  }

  /**
   * Sets the sender's id of the signal, at most 255 characters and unique in the run: signals with
   * the same id count once. Default: a random id for each call.
   */
  public SignalRequest id(String signalId) {
    return new SignalRequest(signalId, type, payload);
  }

  /**
   * Sets the payload, at most 256 KiB. Default none.
   *
   * @param payload a {@link Value}, or anything with a JSON; null = none
   */
  public SignalRequest payload(@Nullable Object payload) {
    return new SignalRequest(id, type, payload);
  }

  /** The signal as it is sent, with an id that a repeated call has, too. */
  NewSignal message(Connection connection) {
    NewSignal.Builder message =
        NewSignal.newBuilder()
            .setSignalId(id.isEmpty() ? UUID.randomUUID().toString() : id)
            .setType(type);
    Payload written = connection.payload(payload);
    return (written == null ? message : message.setPayload(written)).build();
  }
}
