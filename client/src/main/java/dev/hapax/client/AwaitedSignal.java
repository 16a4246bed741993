package dev.hapax.client;

import com.google.protobuf.Empty;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalStep;
import org.jspecify.annotations.Nullable;

/** Which signals a step waits for. Immutable. */
public final class AwaitedSignal {

  private final SignalFilter wire;

  private AwaitedSignal(SignalFilter.Builder wire) {
    this.wire = wire.build();
  }

  /** Any signal. */
  public static AwaitedSignal any() {
    return new AwaitedSignal(SignalFilter.newBuilder().setAny(Empty.getDefaultInstance()));
  }

  /**
   * Signals of this type, and those without a type.
   *
   * @param type 1 to 255 characters
   */
  public static AwaitedSignal ofType(String type) {
    return new AwaitedSignal(SignalFilter.newBuilder().setType(KeyText.required("type", type)));
  }

  /**
   * Signals that were sent to this token of the run, whatever their type.
   *
   * @param fingerprint of the token, from {@link HookAnswer#fingerprint} or a {@code Hook}; never
   *     the token itself
   */
  public static AwaitedSignal ofHook(String fingerprint) {
    return new AwaitedSignal(
        SignalFilter.newBuilder().setHook(KeyText.required("fingerprint", fingerprint)));
  }

  /**
   * Signals that were sent to a token which the run calls so, whatever their type.
   *
   * @param name as in {@link HookRequest#withName}; 1 to 255 characters
   */
  public static AwaitedSignal ofHookName(String name) {
    return new AwaitedSignal(SignalFilter.newBuilder().setHookName(KeyText.required("name", name)));
  }

  boolean matches(Signal signal) {
    return switch (wire.getFilterCase()) {
      case TYPE -> signal.getType().isEmpty() || signal.getType().equals(wire.getType());
      case HOOK -> signal.getHook().equals(wire.getHook());
      case HOOK_NAME -> signal.getHookName().equals(wire.getHookName());
      case ANY, FILTER_NOT_SET -> true;
    };
  }

  SignalFilter wire() {
    return wire;
  }

  /** As a step of a definition has it. */
  SignalStep.Builder step() {
    SignalStep.Builder step = SignalStep.newBuilder();
    return switch (wire.getFilterCase()) {
      case TYPE -> step.setType(wire.getType());
      case HOOK_NAME -> step.setHookName(wire.getHookName());
      case HOOK ->
          throw new IllegalArgumentException(
              "a fingerprint belongs to one run; a definition waits by hook name");
      case ANY, FILTER_NOT_SET -> step.setAny(wire.getAny());
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AwaitedSignal that && wire.equals(that.wire);
  }

  @Override
  public int hashCode() {
    return wire.hashCode();
  }
}
