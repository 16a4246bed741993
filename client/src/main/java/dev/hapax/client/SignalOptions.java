package dev.hapax.client;

import com.google.protobuf.Empty;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.SignalStep;
import java.time.Duration;

/**
 * The signals that a step waits for: any, unless a type or a hook is named. Immutable: each method
 * returns a copy.
 */
public final class SignalOptions {

  static final SignalOptions ANY = new SignalOptions(SignalStep.newBuilder());

  private final SignalStep message;

  private SignalOptions(SignalStep.Builder message) {
    this.message = message.build();
  }

  /** Signals of this type; one without a type is of none. 1 to 255 characters. */
  public SignalOptions type(String type) {
    return new SignalOptions(message.toBuilder().setType(KeyText.required("type", type)));
  }

  /**
   * Signals sent to the run's token with this name.
   *
   * @param name as in {@link HookRequest#name}; 1 to 255 characters
   */
  public SignalOptions hook(String name) {
    return new SignalOptions(message.toBuilder().setHookName(KeyText.required("hook", name)));
  }

  /**
   * Sets the longest wait; then the run is FAILED with SIGNAL_TIMEOUT. More than 0, at most 365
   * days; default none.
   */
  public SignalOptions timeout(Duration timeout) {
    return new SignalOptions(message.toBuilder().setTimeout(ProtoTimes.toProto(timeout)));
  }

  SignalStep message() {
    boolean isAny = message.getType().isEmpty() && message.getHookName().isEmpty();
    return isAny ? message.toBuilder().setAny(Empty.getDefaultInstance()).build() : message;
  }
}
