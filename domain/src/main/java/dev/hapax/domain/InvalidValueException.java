package dev.hapax.domain;

/** A value from outside breaks a rule. The message is the rule, for whoever sent the value. */
public final class InvalidValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String rule;

  public InvalidValueException(String rule) {
    super(rule);
    this.rule = rule;
  }

  /** What is wrong, to be read behind the value's name. */
  public String rule() {
    return rule;
  }
}
