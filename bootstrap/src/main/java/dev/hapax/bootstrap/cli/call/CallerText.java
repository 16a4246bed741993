package dev.hapax.bootstrap.cli.call;

/** Formats who changed something: the claimed name, and the verified principal if there is one. */
public final class CallerText {
  private static final String SERVER = "server";

  private CallerText() {}

  public static String of(String name, String principal) {
    return principal.isEmpty() ? name : name + " (" + principal + ")";
  }

  /** Returns the end of a line about an event; nothing for what the server did itself. */
  public static String by(String actor, String principal) {
    var isServer = principal.isEmpty() && (actor.isEmpty() || actor.equals(SERVER));
    return isServer ? "" : ", by " + of(actor, principal);
  }
}
