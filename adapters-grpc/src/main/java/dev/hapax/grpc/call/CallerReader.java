package dev.hapax.grpc.call;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.run.Actor;

/**
 * Reads who makes the current call: the name in its request, and its verified principal. Called
 * where requests are decoded, which is on the thread that handles the call.
 */
public final class CallerReader {
  private CallerReader() {}

  /** The principal of the current call. */
  public static PrincipalName principal() {
    return CallAccess.current().caller().principal().verifiedName();
  }

  /** The actor of the current call. */
  public static Actor actor(String sent) {
    return Actor.caller(sent).verifiedAs(principal());
  }

  /**
   * The actor of the current call.
   *
   * @param fallback names a caller that sent no name
   */
  public static Actor actor(String sent, String fallback) {
    return Actor.caller(FieldReader.optional(sent).orElse(fallback)).verifiedAs(principal());
  }

  /** The author of a change, and the reason it gives. */
  public static Attribution attribution(String actor, String reason) {
    return attribution(actor(actor), reason);
  }

  /** The author of a change, and the reason it gives. */
  public static Attribution attribution(Actor actor, String reason) {
    return new Attribution(actor.name(), reason, actor.principal());
  }
}
