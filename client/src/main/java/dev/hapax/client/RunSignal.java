package dev.hapax.client;

import dev.hapax.v1.Payload;
import dev.hapax.v1.Signal;
import org.jspecify.annotations.Nullable;

/** A message to a run. Immutable: every {@code with…} is a copy. */
public final class RunSignal {

  private final Signal wire;

  private RunSignal(Signal wire) {
    this.wire = wire;
  }

  /**
   * A signal without a payload.
   *
   * @param type for whom in the run it is, at most 255 characters; empty = for whoever waits for
   *     any
   */
  public static RunSignal of(String type) {
    return new RunSignal(Signal.newBuilder().setType(KeyText.check("type", type)).build());
  }

  /**
   * The sender's id for it, at most 255 characters and unique in its run: sent again with the same
   * id it counts once. Default: one drawn for each call of {@link Runs#signal}.
   */
  public RunSignal withId(String signalId) {
    return new RunSignal(wire.toBuilder().setSignalId(KeyText.check("signalId", signalId)).build());
  }

  /** What it says; at most {@link Codec#MAX_BYTES}. Default nothing. */
  public <T extends @Nullable Object> RunSignal withPayload(Codec<T> codec, T value) {
    Payload payload = codec.encode(value);
    Signal.Builder copy = wire.toBuilder();
    return new RunSignal(
        (payload == null ? copy.clearPayload() : copy.setPayload(payload)).build());
  }

  Signal wire() {
    return wire;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunSignal that && wire.equals(that.wire);
  }

  @Override
  public int hashCode() {
    return wire.hashCode();
  }
}
