package dev.hapax.domain.intent;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.run.Actor;
import java.time.Instant;

/**
 * Who posted an intent, and when.
 *
 * @param role the database role, which PostgreSQL verified
 * @param postedAt when the function was called; its transaction was committed later
 */
public record IntentOrigin(IntentVerb verb, String role, Instant postedAt) {
  private static final String SQL = "sql:";

  /** The actor of what the intent changes, such as {@code sql:shop}. */
  public Actor actor() {
    return Actor.caller(SQL + role).verifiedAs(new PrincipalName(SQL + role));
  }
}
