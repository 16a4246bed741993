package dev.hapax.client.internal;

import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls of the holder of a claim, retried for as long as they may count. */
public final class HolderCalls {

  private final RetryingCalls transport;
  private final Duration recordTimeout;

  /**
   * @param recordTimeout how long to retry after the lease
   */
  public HolderCalls(RetryingCalls transport, Duration recordTimeout) {
    this.transport = transport;
    this.recordTimeout = recordTimeout;
  }

  /** Retries until there is a response, a permanent error, or neither time nor lease left. */
  public <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
      MethodDescriptor<Q, R> method, Q request, ClaimLease lease) {
    return transport
        .sendUntilRecorded(method, request, recordTimeout)
        .exceptionallyCompose(
            error ->
                lease.isLost() || Backoff.pauseOfHolder(UnaryCalls.statusOf(error), 0).isEmpty()
                    ? CompletableFuture.failedFuture(error)
                    : send(method, request, lease));
  }
}
