package dev.hapax.bootstrap.bench;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;

/** Unary calls whose failure ends the turn they belong to. */
record BenchCalls(Channel channel) {

  <Q, A> void send(
      MethodDescriptor<Q, A> method, Q request, ClosedLoopLoad.Next next, Consumer<A> then) {
    ClientCalls.asyncUnaryCall(
        channel.newCall(method, CallOptions.DEFAULT),
        request,
        new StreamObserver<A>() {
          @Override
          public void onNext(A answer) {
            then.accept(answer);
          }

          @Override
          public void onError(Throwable cause) {
            next.failed(cause);
          }

          @Override
          public void onCompleted() {}
        });
  }
}
