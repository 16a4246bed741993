package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.run.Runs;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import org.jspecify.annotations.Nullable;

/** A message to a run. Immutable: every {@code with…} is a copy. */
public final class RunSignal {

  private final NewSignal message;

  private RunSignal(NewSignal message) {
    this.message = message;
  }

  /**
   * A signal without a payload.
   *
   * @param type selects the steps of the run that receive it, at most 255 characters; empty = any
   *     step that waits for a type
   */
  public static RunSignal of(String type) {
    return new RunSignal(NewSignal.newBuilder().setType(KeyText.check("type", type)).build());
  }

  /**
   * Sets the sender's id of the signal, at most 255 characters and unique in the run: signals with
   * the same id count once. Default: a random id per call of {@link Runs#signal}.
   */
  public RunSignal withId(String signalId) {
    return new RunSignal(
        message.toBuilder().setSignalId(KeyText.check("signalId", signalId)).build());
  }

  /** Sets the payload; at most {@link PayloadCodec#MAX_BYTES}. Default none. */
  public <T extends @Nullable Object> RunSignal withPayload(PayloadCodec<T> codec, T value) {
    Payload payload = codec.encode(value);
    NewSignal.Builder copy = message.toBuilder();
    return new RunSignal(
        (payload == null ? copy.clearPayload() : copy.setPayload(payload)).build());
  }

  /** The signal as it is sent. */
  public NewSignal toProto() {
    return message;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunSignal that && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }
}
