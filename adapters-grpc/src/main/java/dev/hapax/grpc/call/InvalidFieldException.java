package dev.hapax.grpc.call;

import java.util.List;
import java.util.stream.Collectors;

/** A request has invalid fields. */
public final class InvalidFieldException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * An invalid field.
   *
   * @param field its path in the request, such as {@code failure.code}
   * @param rule the violated rule; follows the path in the message
   */
  public record Violation(String field, String rule) {
    @Override
    public String toString() {
      return field + " " + rule;
    }
  }

  private final transient List<Violation> violations;

  public InvalidFieldException(String field, String rule) {
    this(List.of(new Violation(field, rule)));
  }

  /** Reports all violations; at least one. */
  public InvalidFieldException(List<Violation> violations) {
    super(
        violations.stream().map(Violation::toString).collect(Collectors.joining("; ")),
        null,
        false,
        false);
    this.violations = List.copyOf(violations);
  }

  public List<Violation> violations() {
    return violations;
  }
}
