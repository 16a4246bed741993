package dev.hapax.client.outbox;

import dev.hapax.client.internal.UnaryCalls;
import io.grpc.MethodDescriptor;
import java.util.concurrent.CompletableFuture;

/** The call that carries out an intent. The same call again has no further effect. */
record OutboxCall<Q, R>(MethodDescriptor<Q, R> method, Q request) {

  CompletableFuture<R> send(UnaryCalls calls) {
    return calls.send(method, request);
  }
}
