package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.SignalFilter;
import org.jspecify.annotations.Nullable;

/**
 * A wait of a code step. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * Wait.signal("approved", Approval.class).hook("approval")
 * }</pre>
 *
 * @param <T> the payload of the signal
 */
public final class Wait<T extends @Nullable Object> {

  private final String name;
  private final Codec<T> codec;
  private final SignalFilter filter;

  private Wait(String name, Codec<T> codec, SignalFilter filter) {
    this.name = name;
    this.codec = codec;
    this.filter = filter;
  }

  /** A wait for a signal of the type {@code name}, whose payload is JSON of this class. */
  public static <T> Wait<T> signal(String name, Class<T> type) {
    return signal(name, Codec.json(type));
  }

  /**
   * A wait for a signal of the type {@code name}.
   *
   * @param name of the wait, the same in every execution
   */
  public static <T extends @Nullable Object> Wait<T> signal(String name, Codec<T> codec) {
    return new Wait<>(name, codec, SignalFilter.getDefaultInstance());
  }

  /** The wait for what was sent to one token, of any type. */
  static <T extends @Nullable Object> Wait<T> token(
      String name, Codec<T> codec, String fingerprint) {
    return new Wait<>(name, codec, SignalFilter.newBuilder().setHook(fingerprint).build());
  }

  /** The type of the signal, 1 to 255 characters. Default: the name; with a hook: any. */
  public Wait<T> type(String type) {
    return new Wait<>(
        name, codec, filter.toBuilder().setType(KeyText.required("type", type)).build());
  }

  /** Only signals to the token of the run with this {@link HookRequest#name}. */
  public Wait<T> hook(String hookName) {
    return new Wait<>(
        name, codec, filter.toBuilder().setHookName(KeyText.required("hook", hookName)).build());
  }

  String name() {
    return name;
  }

  Codec<T> codec() {
    return codec;
  }

  SignalFilter filter() {
    return filter.equals(SignalFilter.getDefaultInstance())
        ? filter.toBuilder().setType(name).build()
        : filter;
  }

  boolean matches(dev.hapax.v1.Signal signal) {
    SignalFilter wanted = filter();
    return isIn(wanted.getType(), signal.getType())
        && isIn(wanted.getHook(), signal.getHook())
        && isIn(wanted.getHookName(), signal.getHookName());
  }

  private static boolean isIn(String wanted, String text) {
    return wanted.isEmpty() || wanted.equals(text);
  }
}
