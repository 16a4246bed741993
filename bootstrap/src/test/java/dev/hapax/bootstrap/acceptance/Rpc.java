package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.Future;

/** The rpcs of OperationService, to be called with any bytes. */
enum Rpc {
  BEGIN(OperationServiceGrpc.getBeginOperationMethod()),
  COMPLETE(OperationServiceGrpc.getCompleteOperationMethod()),
  FAIL(OperationServiceGrpc.getFailOperationMethod()),
  RENEW(OperationServiceGrpc.getRenewOperationMethod()),
  GET(OperationServiceGrpc.getGetOperationMethod()),
  LIST(OperationServiceGrpc.getListOperationsMethod()),
  RESOLVE(OperationServiceGrpc.getResolveOperationMethod());

  @SuppressWarnings("ImmutableEnumChecker") // it is, and does not say so
  private final RawCall raw;

  Rpc(MethodDescriptor<?, ? extends Message> method) {
    this.raw = new RawCall(method);
  }

  /** Sends these bytes as the request. */
  Message call(Caller caller, byte[] request) {
    return raw.call(caller, request);
  }

  /** Sends these bytes compressed. */
  Message callCompressed(Caller caller, byte[] request) {
    return raw.callCompressed(caller, request);
  }

  /** Calls with as many messages as there are here, though one is right; throws how it ended. */
  void callWith(Caller caller, List<byte[]> requests) {
    raw.callWith(caller, requests);
  }

  Future<? extends Message> send(Caller caller, byte[] request) {
    return raw.send(caller, request);
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
}
