package dev.hapax.grpc.call;

import dev.hapax.grpc.call.InvalidFieldException.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects what is wrong with a request, so that its caller is told all of it at once. */
public final class Violations {
  private final List<Violation> found = new ArrayList<>();

  /**
   * Reads a field.
   *
   * @param instead stands for it if it breaks a rule; nobody gets to see it
   */
  public <T> T read(T instead, Supplier<? extends T> reading) {
    try {
      return reading.get();
    } catch (InvalidFieldException e) {
      found.addAll(e.violations());
      return instead;
    }
  }

  public void add(String field, String rule) {
    found.add(new Violation(field, rule));
  }

  /** Ends the reading; what was read is valid if this returns. */
  public void refuse() {
    if (!found.isEmpty()) {
      throw new InvalidFieldException(found);
    }
  }
}
