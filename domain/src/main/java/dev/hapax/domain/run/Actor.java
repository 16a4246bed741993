package dev.hapax.domain.run;

/**
 * Who did something to a run.
 *
 * @param actor a worker, a client, or the server itself
 * @param nonce of the grant it was done with; 0 = with none
 */
public record Actor(String actor, long nonce) {
  public static final Actor SERVER = new Actor("server", 0);

  /** A caller that may have said who it is; empty = it did not. */
  public static Actor caller(String actor) {
    return new Actor(actor.isEmpty() ? "client" : actor, 0);
  }

  static Actor holder(TaskGrant grant) {
    return new Actor(grant.worker(), grant.nonce());
  }
}
