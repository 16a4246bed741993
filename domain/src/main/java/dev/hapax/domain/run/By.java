package dev.hapax.domain.run;

/**
 * Who did something to a run.
 *
 * @param actor a worker, a client, or the server itself
 * @param nonce of the grant it was done with; 0 = with none
 */
public record By(String actor, long nonce) {
  public static final By SERVER = new By("server", 0);

  /** A caller that may have said who it is; empty = it did not. */
  public static By caller(String actor) {
    return new By(actor.isEmpty() ? "client" : actor, 0);
  }

  static By holder(TaskGrant grant) {
    return new By(grant.worker(), grant.nonce());
  }
}
