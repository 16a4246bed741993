package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.BeginOperationResponse.Acquired;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationKey;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceFutureStub;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import dev.hapax.v1.ResolveOperationRequest;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A client as any language has it: generated stubs, one connection, no retries of its own. */
final class Caller implements AutoCloseable {
  static final String ACCOUNT = "account-1";
  static final String OPERATION = "orders.v1.Orders/Place";
  static final ByteString FINGERPRINT = ByteString.copyFromUtf8("fingerprint");
  private static final int PATIENCE_SECONDS = 60;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final String target;
  private final ManagedChannel channel;
  private final String workspace;

  private Caller(String target, String workspace, ManagedChannel channel) {
    this.target = target;
    this.channel = channel;
    this.workspace = workspace;
  }

  /** A client with a workspace of its own. */
  static Caller to(String target) {
    return new Caller(target, "w-" + NUMBER.incrementAndGet(), channel(target));
  }

  private static ManagedChannel channel(String target) {
    return TestAccess.channel(target).disableRetry().build();
  }

  /** Another connection of the same tenant, to a server without TLS, with an API key. */
  Caller as(ApiKey key) {
    return through(ApiKeys.credentials(key));
  }

  /** Another connection of the same tenant, to a server without TLS; the last one runs first. */
  Caller through(ClientInterceptor... interceptors) {
    var channel =
        ManagedChannelBuilder.forTarget(target)
            .usePlaintext()
            .disableRetry()
            .intercept(interceptors)
            .build();
    return new Caller(target, workspace, channel);
  }

  /** Another connection of the same tenant. */
  Caller via(String otherTarget) {
    return new Caller(otherTarget, workspace, channel(otherTarget));
  }

  String workspace() {
    return workspace;
  }

  ManagedChannel channel() {
    return channel;
  }

  OperationServiceBlockingStub calls() {
    return OperationServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  OperationServiceFutureStub futures() {
    return OperationServiceGrpc.newFutureStub(channel)
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** A new attempt at this key. */
  BeginOperationRequest.Builder begin(String requestId) {
    return BeginOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setAccount(ACCOUNT)
        .setOperation(OPERATION)
        .setRequestId(requestId)
        .setAttemptId(UUID.randomUUID().toString())
        .setFingerprint(FINGERPRINT);
  }

  BeginOperationResponse send(BeginOperationRequest.Builder begin) {
    return calls().beginOperation(begin.build());
  }

  Acquired acquire(BeginOperationRequest.Builder begin) {
    var response = send(begin);
    if (!response.hasAcquired()) {
      throw new AssertionError("not acquired: " + response);
    }
    return response.getAcquired();
  }

  Claim acquire(String requestId) {
    return acquire(begin(requestId)).getClaim();
  }

  /** A claim whose lease ends at once, as far as that is allowed. */
  Claim acquireShortly(String requestId) {
    return acquire(begin(requestId).setLease(millis(100))).getClaim();
  }

  CompleteOperationRequest completion(Claim claim, Payload result) {
    return CompleteOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setClaim(claim)
        .setResult(result)
        .build();
  }

  CompleteOperationResponse complete(Claim claim, Payload result) {
    return calls().completeOperation(completion(claim, result));
  }

  CompleteOperationResponse completeVoid(Claim claim) {
    return calls()
        .completeOperation(
            completion(claim, Payload.getDefaultInstance()).toBuilder().clearResult().build());
  }

  FailOperationRequest failure(Claim claim, FailureKind kind, Failure failure) {
    return FailOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setClaim(claim)
        .setKind(kind)
        .setFailure(failure)
        .build();
  }

  FailOperationResponse fail(Claim claim, FailureKind kind) {
    return calls().failOperation(failure(claim, kind, failure("DECLINED")));
  }

  static Failure failure(String code) {
    return Failure.newBuilder()
        .setCode(code)
        .setMessage("the card was declined\nby the bank")
        .setDetails(json("{ \"limit\": 1e400 }"))
        .build();
  }

  RenewOperationRequest renewal(Claim claim, Duration lease) {
    return RenewOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setClaim(claim)
        .setLease(lease)
        .build();
  }

  RenewOperationResponse renew(Claim claim) {
    return calls().renewOperation(renewal(claim, seconds(60)));
  }

  Operation get(String requestId) {
    return calls()
        .getOperation(
            GetOperationRequest.newBuilder()
                .setWorkspace(workspace)
                .setAccount(ACCOUNT)
                .setOperation(OPERATION)
                .setRequestId(requestId)
                .build())
        .getOperation();
  }

  ListOperationsRequest.Builder list() {
    return ListOperationsRequest.newBuilder().setWorkspace(workspace);
  }

  ResolveOperationRequest.Builder resolution(String requestId) {
    return ResolveOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setKey(
            OperationKey.newBuilder()
                .setAccount(ACCOUNT)
                .setOperation(OPERATION)
                .setRequestId(requestId))
        .setRequestId(UUID.randomUUID().toString())
        .setReason("looked at the bank");
  }

  static Payload json(String text) {
    return Payload.newBuilder().setJson(text).build();
  }

  static Payload binary(byte[] bytes) {
    return Payload.newBuilder().setBinary(ByteString.copyFrom(bytes)).build();
  }

  static Duration millis(int millis) {
    return Duration.newBuilder()
        .setSeconds(millis / 1_000)
        .setNanos(millis % 1_000 * 1_000_000)
        .build();
  }

  static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
