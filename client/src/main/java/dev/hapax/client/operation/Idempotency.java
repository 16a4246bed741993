package dev.hapax.client.operation;

import io.grpc.Context;

/** Where a gRPC handler finds its claim. */
public final class Idempotency {

  static final Context.Key<RunningOperation> RUNNING = Context.key("hapax-running-operation");

  private Idempotency() {}

  /**
   * The operation that the current gRPC {@link Context} works for: its fence, whether it is lost,
   * the account it moved to. Untracked where there is none, as for a call without a key. Handlers
   * that go on in other threads take it, or the Context, along.
   */
  public static RunningOperation current() {
    RunningOperation running = RUNNING.get();
    return running == null ? RunningOperation.untracked() : running;
  }
}
