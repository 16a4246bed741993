package dev.hapax.grpc.call;

import dev.hapax.grpc.call.InvalidFieldException.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects the violations of a request, so that one error reports all of them. */
public final class FieldViolations {
  private final List<Violation> found = new ArrayList<>();

  /**
   * Reads a field.
   *
   * @param placeholder replaces an invalid value until {@link #throwIfAny}
   */
  public <T> T read(T placeholder, Supplier<? extends T> reading) {
    try {
      return reading.get();
    } catch (InvalidFieldException e) {
      found.addAll(e.violations());
      return placeholder;
    }
  }

  public void add(String field, String rule) {
    found.add(new Violation(field, rule));
  }

  /** Throws the violations; returns if all fields are valid. */
  public void throwIfAny() {
    if (!found.isEmpty()) {
      throw new InvalidFieldException(found);
    }
  }
}
