package dev.hapax.domain.definition;

import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Text;
import java.util.Optional;

/** Selects the signals for which a step waits. */
public sealed interface SignalFilter {
  /** A filter that does not depend on the run, so a definition may contain it. */
  sealed interface OfDefinition extends SignalFilter {}

  record Any() implements OfDefinition {}

  /** Selects signals of this type; one without a type is of none. */
  record OfType(String type) implements OfDefinition {
    public OfType {
      if (type.isEmpty()) {
        throw new InvalidValueException("is empty; to wait for any signal, set any instead");
      }
      Text.name(type);
    }
  }

  /**
   * Selects signals that arrived through a token of this name.
   *
   * @param type of the signals; empty = whatever their type
   */
  record OfHookName(String name, Optional<String> type) implements OfDefinition {
    public OfHookName {
      Text.requiredName(name);
      type.ifPresent(Text::requiredName);
    }

    public OfHookName(String name) {
      this(name, Optional.empty());
    }
  }

  /** Selects signals that arrived through this token, which belongs to one run at a time. */
  record OfHook(HookFingerprint hook) implements SignalFilter {}

  /**
   * Whether the filter selects a signal.
   *
   * @param type of the signal; empty = none
   * @param hook the token through which it arrived; empty = it was sent to the run itself
   */
  default boolean matches(String type, Optional<SourceHook> hook) {
    return switch (this) {
      case Any() -> true;
      case OfType(var wanted) -> type.equals(wanted);
      case OfHookName(var name, var wanted) ->
          hook.filter(source -> source.name().equals(name)).isPresent()
              && wanted.orElse(type).equals(type);
      case OfHook(var wanted) ->
          hook.filter(source -> source.fingerprint().equals(wanted)).isPresent();
    };
  }
}
