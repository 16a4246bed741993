package dev.hapax.bench;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import io.grpc.Channel;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** Clients of OperationService. */
public final class OperationLoad {
  /** A typical result, of about 100 bytes. */
  public static final String RESULT =
      "{\"order\":\"order-0123456789\",\"status\":\"placed\",\"amount\":{\"currency\":\"EUR\",\"value\":4217}}";

  static final String OPERATION = "shop.v1.Orders/Place";
  static final String ACCOUNT = "account-4217";
  private static final ByteString FINGERPRINT =
      ByteString.copyFromUtf8("0123456789abcdef0123456789abcdef");

  private final BenchCalls calls;
  private final int workspaces;

  public OperationLoad(Channel channel) {
    this(channel, 1);
  }

  /** Clients of this many workspaces, in turns. */
  OperationLoad(Channel channel, int workspaces) {
    this.calls = new BenchCalls(channel);
    this.workspaces = workspaces;
  }

  /** Begins and completes an operation with a new key. */
  public void pair(int lane, ClosedLoopLoad.Next next) {
    var workspace = "bench-" + lane % workspaces;
    calls.send(
        OperationServiceGrpc.getBeginOperationMethod(),
        request(newKey()).setWorkspace(workspace).build(),
        next,
        (BeginOperationResponse begun) ->
            complete(workspace, begun.getAcquired().getClaim(), next));
  }

  /** Begins an operation with a new key. */
  void beginNew(int lane, ClosedLoopLoad.Next next) {
    begin(newKey(), next, _ -> next.done());
  }

  /** Begins an operation with this key and accepts any outcome. */
  ClosedLoopLoad.Turn beginSame(String key) {
    return (_, next) -> begin(key, next, _ -> next.done());
  }

  public static String newKey() {
    var random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  private void begin(String key, ClosedLoopLoad.Next next, Consumer<BeginOperationResponse> then) {
    calls.send(OperationServiceGrpc.getBeginOperationMethod(), request(key).build(), next, then);
  }

  static BeginOperationRequest.Builder request(String key) {
    return BeginOperationRequest.newBuilder()
        .setAccount(ACCOUNT)
        .setOperation(OPERATION)
        .setRequestId(key)
        .setAttemptId(newKey())
        .setFingerprint(FINGERPRINT)
        .setLease(Duration.newBuilder().setSeconds(60));
  }

  private void complete(String workspace, Claim claim, ClosedLoopLoad.Next next) {
    var request =
        CompleteOperationRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(claim)
            .setResult(Payload.newBuilder().setJson(RESULT))
            .build();
    calls.send(
        OperationServiceGrpc.getCompleteOperationMethod(),
        request,
        next,
        (CompleteOperationResponse completed) -> {
          if (completed.hasCompleted()) {
            next.done();
          } else {
            next.failed(new IllegalStateException("operation not completed: " + completed));
          }
        });
  }
}
