package dev.hapax.domain;

/** A value from a caller breaks a rule; the message states the rule. */
public final class InvalidValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String rule;

  public InvalidValueException(String rule) {
    super(rule);
    this.rule = rule;
  }

  /** The broken rule, worded to follow the name of the value. */
  public String rule() {
    return rule;
  }
}
