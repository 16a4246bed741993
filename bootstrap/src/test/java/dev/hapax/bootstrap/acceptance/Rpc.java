package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
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

/** The rpcs of OperationService, to be called with any bytes. */
enum Rpc {
  BEGIN(OperationServiceGrpc.getBeginOperationMethod()),
  COMPLETE(OperationServiceGrpc.getCompleteOperationMethod()),
  FAIL(OperationServiceGrpc.getFailOperationMethod()),
  RENEW(OperationServiceGrpc.getRenewOperationMethod()),
  GET(OperationServiceGrpc.getGetOperationMethod()),
  LIST(OperationServiceGrpc.getListOperationsMethod()),
  RESOLVE(OperationServiceGrpc.getResolveOperationMethod());

  private static final int PATIENCE_SECONDS = 60;

  @SuppressWarnings("ImmutableEnumChecker") // it is, and does not say so
  private final MethodDescriptor<byte[], ? extends Message> method;

  Rpc(MethodDescriptor<?, ? extends Message> method) {
    this.method = withBytes(method);
  }

  private static <R> MethodDescriptor<byte[], R> withBytes(MethodDescriptor<?, R> method) {
    return method.toBuilder(new Bytes(), method.getResponseMarshaller()).build();
  }

  /** Sends these bytes as the request. */
  Message call(Caller caller, byte[] request) {
    return ClientCalls.blockingUnaryCall(caller.channel(), method, options(), request);
  }

  /** Sends these bytes compressed. */
  Message callCompressed(Caller caller, byte[] request) {
    return ClientCalls.blockingUnaryCall(
        caller.channel(), method, options().withCompression("gzip"), request);
  }

  /** Calls with as many messages as there are here, though one is right; throws how it ended. */
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

  /** A request of this rpc that is fine, for a key of this name that exists. */
  Message.Builder example(Caller caller, String key, Claim claim) {
    return switch (this) {
      case BEGIN ->
          caller
              .begin(key)
              .setLease(Caller.seconds(60))
              .setTtl(Caller.seconds(60))
              .setWait(Caller.millis(1));
      case COMPLETE ->
          caller.completion(claim, Caller.json("{\"a\": 1}")).toBuilder().setAccountAfter("x");
      case FAIL ->
          caller
              .failure(claim, FailureKind.FAILURE_KIND_FINAL, Caller.failure("DECLINED"))
              .toBuilder();
      case RENEW -> caller.renewal(claim, Caller.seconds(60)).toBuilder();
      case GET ->
          GetOperationRequest.newBuilder()
              .setWorkspace(caller.workspace())
              .setAccount(Caller.ACCOUNT)
              .setOperation(Caller.OPERATION)
              .setRequestId(key);
      case LIST -> caller.list().setPageSize(5);
      case RESOLVE -> caller.resolution(key).setReject(Caller.failure("DECLINED"));
    };
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
