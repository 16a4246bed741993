package dev.hapax.bench;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;

/** Unary calls on a channel; a failed call fails its turn. */
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
