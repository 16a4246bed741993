package dev.hapax.client.internal;

import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A way to send requests besides unary calls. */
public interface CallRoute {

  /** Every request goes as a unary call. */
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

  /** Whether this request may go this way. */
  boolean carries(Object request);

  /** Whether several answers may come at once, on one thread. */
  default boolean gathersAnswers() {
    return true;
  }

  /**
   * Sends a request once. One that has no answer when the way breaks is sent as a unary call.
   *
   * @param transport makes unary calls
   */
  <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
      RetryingCalls transport, MethodDescriptor<Q, R> method, Q request, Duration timeout);
}
