package dev.hapax.domain;

/**
 * The author and reason of a change, as the caller gave them; not verified, and either may be
 * empty.
 */
public record Attribution(String actor, String reason) {
  /** The attribution of changes by earlier server versions, which did not store it. */
  public static final Attribution NONE = new Attribution("", "");

  public static final Attribution SERVER = new Attribution("server", "");

  public Attribution {
    Text.name(actor);
    Text.name(reason);
  }

  /** A caller by its optional name; empty = {@code client}. */
  public static Attribution caller(String actor, String reason) {
    return new Attribution(actor.isEmpty() ? "client" : actor, reason);
  }
}
