package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One rpc, to be called with any bytes. */
final class RawCall {
  private static final int PATIENCE_SECONDS = 60;

  private final MethodDescriptor<byte[], ? extends Message> method;

  RawCall(MethodDescriptor<?, ? extends Message> method) {
    this.method = withBytes(method);
  }

  private static <R> MethodDescriptor<byte[], R> withBytes(MethodDescriptor<?, R> method) {
    return method.toBuilder(new Bytes(), method.getResponseMarshaller()).build();
  }

  /** Sends these bytes as the request; the answer, or the first of a stream. */
  Message call(Caller caller, byte[] request) {
    return call(caller, request, options());
  }

  /** Sends these bytes compressed. */
  Message callCompressed(Caller caller, byte[] request) {
    return call(caller, request, options().withCompression("gzip"));
  }

  private Message call(Caller caller, byte[] request, CallOptions options) {
    return method.getType() == MethodType.UNARY
        ? ClientCalls.blockingUnaryCall(caller.channel(), method, options, request)
        : ClientCalls.blockingServerStreamingCall(caller.channel(), method, options, request)
            .next();
  }

  /**
   * Calls with these messages, of which a unary call may have one; reads all answers, and throws
   * how it ended.
   */
  void callWith(Caller caller, List<byte[]> requests) {
    callWith(caller, method, requests);
  }

  private static <R> void callWith(
      Caller caller, MethodDescriptor<byte[], R> method, List<byte[]> requests) {
    var call = caller.channel().newCall(method, options());
    var ended = new CompletableFuture<Void>();
    call.start(
        new ClientCall.Listener<R>() {
          @Override
          public void onMessage(R answer) {
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.completeExceptionally(status.asRuntimeException(trailers));
          }
        },
        new Metadata());
    call.request(1);
    requests.forEach(call::sendMessage);
    call.halfClose();
    try {
      ended.join();
    } catch (CompletionException e) {
      throw (StatusRuntimeException) Objects.requireNonNull(e.getCause());
    }
  }

  Future<? extends Message> send(Caller caller, byte[] request) {
    return send(caller, method, request);
  }

  private static <R> Future<R> send(
      Caller caller, MethodDescriptor<byte[], R> method, byte[] request) {
    return ClientCalls.futureUnaryCall(caller.channel().newCall(method, options()), request);
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static final class Bytes implements Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      throw new UnsupportedOperationException("only ever sent");
    }
  }
}
