package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.SignalFilter;

/** Which signals a step waits for, as text. */
public final class SignalFilterText {
  private SignalFilterText() {}

  static String of(SignalFilter filter) {
    return filter.getHook().isEmpty()
        ? of(filter.getType(), filter.getHookName())
        : "a signal to hook " + filter.getHook();
  }

  /** The text of a filter by type, by the name of a hook, by both or by neither. */
  public static String of(String type, String hookName) {
    if (hookName.isEmpty()) {
      return type.isEmpty() ? "any signal" : "signal " + type;
    }
    return (type.isEmpty() ? "a signal" : "signal " + type) + " to hook " + hookName;
  }
}
