package dev.hapax.client.grpc;

import dev.hapax.client.Claim;
import io.grpc.Context;

/** Gives gRPC handlers access to their claim. */
public final class Idempotency {

  static final Context.Key<Claim> CLAIM = Context.key("hapax-claim");

  private Idempotency() {}

  /**
   * Returns the claim of the current gRPC {@link Context}, with its fence, its loss and its
   * account. Untracked if there is none, as for a call without a key. Handlers that continue on
   * other threads must pass it, or the Context, along.
   */
  public static Claim current() {
    Claim claim = CLAIM.get();
    return claim == null ? Claim.untracked() : claim;
  }
}
