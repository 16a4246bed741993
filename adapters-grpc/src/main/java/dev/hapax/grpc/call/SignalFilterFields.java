package dev.hapax.grpc.call;

import dev.hapax.domain.definition.SignalFilter;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the fields of a signal filter that definitions and suspensions share. */
public final class SignalFilterFields {
  private SignalFilterFields() {}

  /** Reads a filter by type, by the name of a token, or by both; empty = neither is set. */
  public static Optional<SignalFilter.OfDefinition> read(String type, String hookName) {
    if (hookName.isEmpty()) {
      return type.isEmpty() ? Optional.empty() : Optional.of(new SignalFilter.OfType(type));
    }
    return Optional.of(new SignalFilter.OfHookName(hookName, FieldReader.optional(type)));
  }

  /** Rejects a field that stands for all signals beside others that select some. */
  public static void requireUnset(String path, String... others) {
    if (Stream.of(others).anyMatch(text -> !text.isEmpty())) {
      throw new InvalidFieldException(path, "cannot be set together with another filter");
    }
  }
}
