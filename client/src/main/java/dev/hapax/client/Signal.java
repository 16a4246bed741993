package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import java.time.Instant;
import java.util.Optional;

/**
 * A signal in the inbox of a run.
 *
 * @param message as Hapax sent it
 */
public record Signal(dev.hapax.v1.Signal message) {

  /** Its id. */
  public String id() {
    return message.getSignalId();
  }

  /** What it is about; may be empty. */
  public String type() {
    return message.getType();
  }

  /** The name of the hook that it came through; empty if it came by the id of the run. */
  public String hookName() {
    return message.getHookName();
  }

  /** When Hapax received it. */
  public Instant receivedAt() {
    return ProtoTimes.toJava(message.getReceivedAt());
  }

  /** Its payload. */
  public Optional<Value> payload() {
    return Optional.ofNullable(message.hasPayload() ? Payloads.value(message.getPayload()) : null);
  }
}
