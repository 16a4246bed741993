package dev.hapax.grpc.call;

/** A field of a request breaks a rule. */
public final class InvalidFieldException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String field;
  private final String rule;

  public InvalidFieldException(String field, String rule) {
    super(field + " " + rule, null, false, false);
    this.field = field;
    this.rule = rule;
  }

  /** Its path in the request, such as {@code failure.code}. */
  public String field() {
    return field;
  }

  /** What is wrong with it, to be read behind the field's name. */
  public String rule() {
    return rule;
  }
}
