package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.SignalFilter;

/** Which signals a step waits for, as text. */
final class SignalFilterText {
  private SignalFilterText() {}

  static String of(SignalFilter filter) {
    return switch (filter.getFilterCase()) {
      case TYPE -> "signal " + filter.getType();
      case HOOK_NAME -> "a signal to hook " + filter.getHookName();
      case HOOK -> "a signal to hook " + filter.getHook();
      case ANY, FILTER_NOT_SET -> "any signal";
    };
  }
}
