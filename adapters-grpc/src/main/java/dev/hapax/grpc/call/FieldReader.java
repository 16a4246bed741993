package dev.hapax.grpc.call;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Reads fields that keep the rules of their proto. */
public final class FieldReader {
  private FieldReader() {}

  /** Converts a field; a domain rule that it violates names the field. */
  public static <P, T> T read(String field, P sent, Function<? super P, ? extends T> value) {
    try {
      return value.apply(sent);
    } catch (InvalidValueException e) {
      throw new InvalidFieldException(field, e.rule());
    }
  }

  public static Workspace workspace(String sent) {
    return sent.isEmpty() || sent.equals(Workspace.DEFAULT.name())
        ? Workspace.DEFAULT
        : new Workspace(sent);
  }

  public static Optional<String> optional(String sent) {
    return sent.isEmpty() ? Optional.empty() : Optional.of(sent);
  }

  /** A text that only some requests need. */
  public static String required(String field, String sent) {
    if (sent.isEmpty()) {
      throw new InvalidFieldException(field, "is required");
    }
    return sent;
  }

  /** The expected version of a run or an entity; 0 = any. */
  public static OptionalLong expectedVersion(long sent) {
    return sent == 0 ? OptionalLong.empty() : OptionalLong.of(sent);
  }

  /** How many items a poll takes; 0 = 1. */
  public static int orOne(int sent) {
    return Math.max(1, sent);
  }
}
