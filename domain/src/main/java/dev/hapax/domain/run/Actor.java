package dev.hapax.domain.run;

import dev.hapax.domain.PrincipalName;

/**
 * The agent that changed a record: a worker, a client or the server.
 *
 * @param name of the worker or client, as it claims; {@code server} for this server
 * @param nonce of the grant under which it acted; 0 = none
 * @param principal of the call, which the server verified
 */
public record Actor(String name, long nonce, PrincipalName principal) {
  public static final Actor SERVER = new Actor("server", 0, PrincipalName.NONE);

  /** A caller by its optional name, without a verified principal; empty = {@code client}. */
  public static Actor caller(String name) {
    return new Actor(name.isEmpty() ? "client" : name, 0, PrincipalName.NONE);
  }

  static Actor holder(TaskGrant grant, PrincipalName principal) {
    return new Actor(grant.worker(), grant.nonce(), principal);
  }

  /** Returns the same caller, acting under a grant. */
  public Actor holding(long grantNonce) {
    return new Actor(name, grantNonce, principal);
  }

  /** Returns the same caller with its verified principal. */
  public Actor verifiedAs(PrincipalName verified) {
    return new Actor(name, nonce, verified);
  }
}
