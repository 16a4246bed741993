package dev.hapax.domain.definition;

import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Text;
import java.util.Optional;

/** Which signals a step waits for. */
public sealed interface SignalFilter {
  /** A filter that means the same in every run. */
  sealed interface OfDefinition extends SignalFilter {}

  record Any() implements OfDefinition {}

  /** Signals of this type, and those without a type. */
  record OfType(String type) implements OfDefinition {
    public OfType {
      if (type.isEmpty()) {
        throw new InvalidValueException("is empty; to wait for any signal, set any instead");
      }
      Text.name(type);
    }
  }

  /** Signals that arrived through a token of this name. */
  record OfHookName(String name) implements OfDefinition {
    public OfHookName {
      Text.requiredName(name);
    }
  }

  /** Signals that arrived through this token, which belongs to one run at a time. */
  record OfHook(HookFingerprint hook) implements SignalFilter {}

  /**
   * Whether a step that waits with this filter receives such a signal.
   *
   * @param type empty = it has none
   * @param hook the token through which it arrived; empty = it was sent to the run itself
   */
  default boolean matches(String type, Optional<SourceHook> hook) {
    return switch (this) {
      case Any() -> true;
      case OfType(var wanted) -> type.isEmpty() || type.equals(wanted);
      case OfHookName(var name) -> hook.filter(source -> source.name().equals(name)).isPresent();
      case OfHook(var wanted) ->
          hook.filter(source -> source.fingerprint().equals(wanted)).isPresent();
    };
  }
}
