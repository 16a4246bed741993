package dev.hapax.client.internal;

import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A transport for requests besides unary calls. */
public interface CallRoute {

  /** Sends every request as a unary call. */
  CallRoute NONE =
      new CallRoute() {
        @Override
        public boolean carries(Object request) {
          return false;
        }

        @Override
        public boolean gathersAnswers() {
          return false;
        }

        @Override
        public <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
            RetryingCalls transport, MethodDescriptor<Q, R> method, Q request, Duration timeout) {
          return transport.sendUnary(method, request, timeout);
        }
      };

  /** Whether this route carries the request. */
  boolean carries(Object request);

  /** Whether several responses may arrive at once, on one thread. */
  default boolean gathersAnswers() {
    return true;
  }

  /**
   * Sends a request once. If the route breaks before the response, the request is sent again as a
   * unary call.
   *
   * @param transport makes unary calls
   */
  <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
      RetryingCalls transport, MethodDescriptor<Q, R> method, Q request, Duration timeout);
}
