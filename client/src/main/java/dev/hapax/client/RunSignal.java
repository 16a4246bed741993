package dev.hapax.client;

import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A message to a run. Immutable: every {@code with…} is a copy. */
public final class RunSignal {

  private final NewSignal wire;

  private RunSignal(NewSignal wire) {
    this.wire = wire;
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
    return new RunSignal(wire.toBuilder().setSignalId(KeyText.check("signalId", signalId)).build());
  }

  /** What it says; at most {@link Codec#MAX_BYTES}. Default nothing. */
  public <T extends @Nullable Object> RunSignal withPayload(Codec<T> codec, T value) {
    Payload payload = codec.encode(value);
    NewSignal.Builder copy = wire.toBuilder();
    return new RunSignal(
        (payload == null ? copy.clearPayload() : copy.setPayload(payload)).build());
  }

  NewSignal wire() {
    return wire;
  }

  /** With an id that is drawn, if it has none: a call that is sent again sends the same. */
  NewSignal wireWithId() {
    return wire.getSignalId().isEmpty()
        ? wire.toBuilder().setSignalId(UUID.randomUUID().toString()).build()
        : wire;
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
