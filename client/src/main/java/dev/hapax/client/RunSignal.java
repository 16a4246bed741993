package dev.hapax.client;

import dev.hapax.client.run.Runs;
import dev.hapax.client.internal.KeyText;
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
   * @param type which steps of the run receive it, at most 255 characters; empty = any step that
   *     waits for a type
   */
  public static RunSignal of(String type) {
    return new RunSignal(NewSignal.newBuilder().setType(KeyText.check("type", type)).build());
  }

  /**
   * The sender's id for it, at most 255 characters and unique in its run: sent again with the same
   * id it counts once. Default: one drawn for each call of {@link Runs#signal}.
   */
  public RunSignal withId(String signalId) {
    return new RunSignal(
        message.toBuilder().setSignalId(KeyText.check("signalId", signalId)).build());
  }

  /** What it says; at most {@link Codec#MAX_BYTES}. Default nothing. */
  public <T extends @Nullable Object> RunSignal withPayload(Codec<T> codec, T value) {
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
