package dev.hapax.domain;

/** Who changed something, and why, in their own words; neither is verified, each may be empty. */
public record Attribution(String actor, String reason) {
  /** Of what was changed by a server that did not keep it. */
  public static final Attribution NONE = new Attribution("", "");

  public static final Attribution SERVER = new Attribution("server", "");

  public Attribution {
    Text.name(actor);
    Text.name(reason);
  }

  /** A caller that may have said who it is; empty = it did not. */
  public static Attribution caller(String actor, String reason) {
    return new Attribution(actor.isEmpty() ? "client" : actor, reason);
  }
}
