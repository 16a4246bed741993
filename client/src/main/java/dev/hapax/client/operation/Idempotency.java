package dev.hapax.client.operation;

import io.grpc.Context;

/** Gives gRPC handlers access to their operation. */
public final class Idempotency {

  static final Context.Key<RunningOperation> RUNNING = Context.key("hapax-running-operation");

  private Idempotency() {}

  /**
   * Returns the operation of the current gRPC {@link Context}, with its fence, its loss and its
   * account. Untracked if there is none, as for a call without a key. Handlers that continue on
   * other threads must pass it, or the Context, along.
   */
  public static RunningOperation current() {
    RunningOperation running = RUNNING.get();
    return running == null ? RunningOperation.untracked() : running;
  }
}
