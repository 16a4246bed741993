package dev.hapax.grpc.quota;

import com.google.protobuf.MessageLite;
import com.google.rpc.Code;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.v1.ErrorReason;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/**
 * Bounds the requests of methods that need no credentials, such as health checks: their bytes, and
 * the time until they are complete. The transport would keep up to its largest request of each
 * call. A connection above a bound is closed. A compressed request is refused, since a few of its
 * bytes may become many.
 */
public final class AnonymousRequestGuard extends ServerStreamTracer.Factory
    implements ServerInterceptor {
  /** The bytes of a request; that of a health check has the name of a service. */
  static final int MAX_BYTES = 1 << 10;

  /** The time within which a request must be complete. */
  static final Duration MAX_TIME = Duration.ofSeconds(10);

  private static final Metadata.Key<String> ENCODING =
      Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);

  private static final String UNCOMPRESSED = "identity";
  private static final ServerStreamTracer UNBOUNDED = new ServerStreamTracer() {};

  private final ConnectionRegistry connections;
  private final Predicate<String> isPublic;

  /**
   * Makes a guard.
   *
   * @param isPublic whether the method with this full name needs no credentials
   */
  public AnonymousRequestGuard(ConnectionRegistry connections, Predicate<String> isPublic) {
    this.connections = connections;
    this.isPublic = isPublic;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
    return isPublic.test(fullMethodName) ? new RequestBytes(fullMethodName) : UNBOUNDED;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var method = call.getMethodDescriptor().getFullMethodName();
    if (!isPublic.test(method)) {
      return next.startCall(call, headers);
    }
    if (!UNCOMPRESSED.equals(Objects.requireNonNullElse(headers.get(ENCODING), UNCOMPRESSED))) {
      var error = compressed(method);
      call.close(error.getStatus(), GrpcErrors.trailers(error));
      return new ServerCall.Listener<>() {};
    }
    var listener = next.startCall(call, headers);
    return connections
        .of(call.getAttributes())
        .<ServerCall.Listener<Q>>map(
            connection -> new BoundedRequest<>(listener, connection, method))
        .orElse(listener);
  }

  private static StatusRuntimeException compressed(String method) {
    return GrpcErrors.error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE,
        "a request of %s must not be compressed".formatted(method),
        Map.of("field", "request"),
        GrpcErrors.badRequest("request", "must not be compressed"));
  }

  private Future<?> timer(Connection connection, String method) {
    return connection.after(
        MAX_TIME,
        () ->
            close(
                connection,
                method,
                String.format(Locale.ROOT, "was not complete within %d s", MAX_TIME.toSeconds())));
  }

  private void closeLarge(Connection connection, String method) {
    close(connection, method, String.format(Locale.ROOT, "has more than %d bytes", MAX_BYTES));
  }

  private void close(Connection connection, String method, String what) {
    connections.close(connection, "request", "a request of %s %s".formatted(method, what));
  }

  /** Counts the bytes of requests while they arrive. */
  private final class RequestBytes extends ServerStreamTracer {
    private final String method;
    private Optional<Connection> connection = Optional.empty();
    private long bytes;

    RequestBytes(String method) {
      this.method = method;
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      connection = connections.of(call.getAttributes());
    }

    @Override
    public void inboundWireSize(long more) {
      bytes += more;
      if (bytes > MAX_BYTES) {
        connection.ifPresent(from -> closeLarge(from, method));
        connection = Optional.empty();
      }
    }
  }

  /** Drops a request that is too large, and ends the wait for one that has come, or never will. */
  private final class BoundedRequest<Q> extends SimpleForwardingServerCallListener<Q> {
    private final Connection connection;
    private final String method;
    private final Future<?> timer;

    BoundedRequest(ServerCall.Listener<Q> delegate, Connection connection, String method) {
      super(delegate);
      this.connection = connection;
      this.method = method;
      this.timer = timer(connection, method);
    }

    @Override
    public void onMessage(Q message) {
      if (message instanceof MessageLite sized && sized.getSerializedSize() > MAX_BYTES) {
        closeLarge(connection, method);
      } else {
        super.onMessage(message);
      }
    }

    @Override
    public void onHalfClose() {
      timer.cancel(false);
      super.onHalfClose();
    }

    @Override
    public void onComplete() {
      timer.cancel(false);
      super.onComplete();
    }

    @Override
    public void onCancel() {
      timer.cancel(false);
      super.onCancel();
    }
  }
}
