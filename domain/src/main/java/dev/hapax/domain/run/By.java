package dev.hapax.domain.run;

/**
 * Who did something to a run.
 *
 * @param actor a worker, a client, or the server itself
 * @param nonce of the grant it was done with; 0 = with none
 */
public record By(String actor, long nonce) {
  public static final By SERVER = new By("server", 0);
  public static final By CLIENT = new By("client", 0);

  static By holder(TaskGrant grant) {
    return new By(grant.worker(), grant.nonce());
  }
}
