package dev.hapax.bootstrap.kit;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Failure;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Replay;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status.Code;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Map;

/** A server that refuses each operation for the reason that its request id names. */
final class RefusingServer implements AutoCloseable {
  static final String UNAUTHENTICATED = "UNAUTHENTICATED";
  static final String PERMISSION_DENIED = "PERMISSION_DENIED";
  static final String INVALID_FIELD = "INVALID_FIELD";
  static final String ACCOUNT_MISMATCH = "ACCOUNT_MISMATCH";

  /** Not a status, but a replay of a failure. */
  static final String FAILED_FOR_GOOD = "FAILED_FOR_GOOD";

  /** What the server says for the operator of the service only. */
  static final String SECRET = "principal-of-the-shop";

  private static final Map<String, Code> CODES =
      Map.of(
          UNAUTHENTICATED, Code.UNAUTHENTICATED,
          PERMISSION_DENIED, Code.PERMISSION_DENIED,
          INVALID_FIELD, Code.INVALID_ARGUMENT,
          ACCOUNT_MISMATCH, Code.FAILED_PRECONDITION);

  private final Server server;

  private RefusingServer(Server server) {
    this.server = server;
  }

  static RefusingServer start() throws IOException {
    return new RefusingServer(
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new Operations())
            .build()
            .start());
  }

  String target() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private static final class Operations extends OperationServiceGrpc.OperationServiceImplBase {
    @Override
    public void beginOperation(
        BeginOperationRequest request, StreamObserver<BeginOperationResponse> answer) {
      var reason = request.getRequestId();
      var code = CODES.get(reason);
      if (code != null) {
        answer.onError(StatusProto.toStatusRuntimeException(status(code, reason)));
        return;
      }
      var failure = Failure.newBuilder().setCode("DECLINED").setMessage(SECRET);
      answer.onNext(
          BeginOperationResponse.newBuilder()
              .setReplay(Replay.newBuilder().setFailure(failure))
              .build());
      answer.onCompleted();
    }

    private static Status status(Code code, String reason) {
      var info = ErrorInfo.newBuilder().setReason(reason).setDomain("hapax.dev").build();
      return Status.newBuilder()
          .setCode(code.value())
          .setMessage(SECRET)
          .addDetails(Any.pack(info))
          .build();
    }
  }
}
