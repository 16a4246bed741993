package dev.hapax.domain.definition;

/**
 * The author of a registration, and the reason.
 *
 * @param actor empty = unknown
 * @param reason empty = none
 */
public record Registrant(String actor, String reason) {
  /** The registrant of definitions that the server creates or reads from its folder. */
  public static final Registrant SERVER = new Registrant("server", "");
}
