package dev.hapax.client.run;

import com.google.protobuf.Empty;
import dev.hapax.client.hook.HookAnswer;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalStep;
import org.jspecify.annotations.Nullable;

/** The signals that a step waits for. Immutable. */
public final class AwaitedSignal {

  private final SignalFilter message;

  private AwaitedSignal(SignalFilter.Builder message) {
    this.message = message.build();
  }

  /** Any signal. */
  public static AwaitedSignal any() {
    return new AwaitedSignal(SignalFilter.newBuilder().setAny(Empty.getDefaultInstance()));
  }

  /**
   * Signals of this type; one without a type is of none.
   *
   * @param type 1 to 255 characters
   */
  public static AwaitedSignal ofType(String type) {
    return new AwaitedSignal(SignalFilter.newBuilder().setType(KeyText.required("type", type)));
  }

  /**
   * Signals sent to this token of the run, of any type.
   *
   * @param fingerprint identifies the token, from {@link HookAnswer#fingerprint} or a {@code Hook};
   *     never the token itself
   */
  public static AwaitedSignal ofHook(String fingerprint) {
    return new AwaitedSignal(
        SignalFilter.newBuilder().setHook(KeyText.required("fingerprint", fingerprint)));
  }

  /**
   * Signals sent to the run's token with this name, of any type.
   *
   * @param name as in {@link HookRequest#withName}; 1 to 255 characters
   */
  public static AwaitedSignal ofHookName(String name) {
    return new AwaitedSignal(SignalFilter.newBuilder().setHookName(KeyText.required("name", name)));
  }

  /**
   * Signals of this type, sent to the run's token with this name.
   *
   * @param name as in {@link HookRequest#withName}; 1 to 255 characters
   * @param type 1 to 255 characters
   */
  public static AwaitedSignal ofHookName(String name, String type) {
    return new AwaitedSignal(
        SignalFilter.newBuilder()
            .setHookName(KeyText.required("name", name))
            .setType(KeyText.required("type", type)));
  }

  /** Whether a step that waits for this receives the signal. */
  public boolean matches(Signal signal) {
    return isIn(message.getType(), signal.getType())
        && isIn(message.getHook(), signal.getHook())
        && isIn(message.getHookName(), signal.getHookName());
  }

  private static boolean isIn(String wanted, String text) {
    return wanted.isEmpty() || wanted.equals(text);
  }

  /** The filter as it is sent. */
  public SignalFilter toProto() {
    return message;
  }

  /** The step of a definition that waits for this. */
  SignalStep.Builder step() {
    if (!message.getHook().isEmpty()) {
      throw new IllegalArgumentException(
          "a definition must wait by hook name; a fingerprint belongs to one run");
    }
    SignalStep.Builder step =
        SignalStep.newBuilder().setType(message.getType()).setHookName(message.getHookName());
    return message.hasAny() ? step.setAny(message.getAny()) : step;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AwaitedSignal that && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }
}
