package dev.hapax.grpc.limit;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/**
 * Bounds the requests of methods that need no credentials, such as health checks: their bytes, and
 * the time until they are complete. The transport would keep up to its largest request of each
 * call. A connection above a bound is closed.
 */
public final class AnonymousRequestGuard extends ServerStreamTracer.Factory
    implements ServerInterceptor {
  /** The bytes of a request; that of a health check has the name of a service. */
  static final int MAX_BYTES = 1 << 10;

  /** The time within which a request must be complete. */
  static final Duration MAX_TIME = Duration.ofSeconds(10);

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
    var listener = next.startCall(call, headers);
    var method = call.getMethodDescriptor().getFullMethodName();
    if (!isPublic.test(method)) {
      return listener;
    }
    return connections
        .of(call.getAttributes())
        .<ServerCall.Listener<Q>>map(
            connection -> new RequestTime<>(listener, timer(connection, method)))
        .orElse(listener);
  }

  private Future<?> timer(Connection connection, String method) {
    return connection.after(
        MAX_TIME,
        () ->
            close(
                connection,
                method,
                "was not complete within %d s".formatted(MAX_TIME.toSeconds())));
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
        connection.ifPresent(
            from -> close(from, method, "has more than %d bytes".formatted(MAX_BYTES)));
        connection = Optional.empty();
      }
    }
  }

  /** Ends the wait for a request that is complete, or never will be. */
  private static final class RequestTime<Q> extends SimpleForwardingServerCallListener<Q> {
    private final Future<?> timer;

    RequestTime(ServerCall.Listener<Q> delegate, Future<?> timer) {
      super(delegate);
      this.timer = timer;
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
