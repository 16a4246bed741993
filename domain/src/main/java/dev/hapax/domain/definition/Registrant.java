package dev.hapax.domain.definition;

/**
 * Who registered a definition, and why.
 *
 * @param actor empty = unknown
 * @param reason empty = none was given
 */
public record Registrant(String actor, String reason) {
  /** Of the definitions that a server makes itself, or finds in its folder. */
  public static final Registrant SERVER = new Registrant("server", "");
}
