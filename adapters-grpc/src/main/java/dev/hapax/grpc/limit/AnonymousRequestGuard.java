package dev.hapax.grpc.limit;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;

/**
 * Bounds the requests of health checks, which need no credentials: their bytes, and the time until
 * they are complete. The transport would keep up to its largest request of each call. A connection
 * above a bound is closed.
 */
public final class AnonymousRequestGuard extends ServerStreamTracer.Factory
    implements ServerInterceptor {
  /** The bytes of a request; it has the name of a service. */
  static final int MAX_BYTES = 1 << 10;

  /** The time within which a request must be complete. */
  static final Duration MAX_TIME = Duration.ofSeconds(10);

  private static final String HEALTH = HealthGrpc.SERVICE_NAME + "/";
  private static final ServerStreamTracer UNBOUNDED = new ServerStreamTracer() {};

  private final ConnectionRegistry connections;

  public AnonymousRequestGuard(ConnectionRegistry connections) {
    this.connections = connections;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
    return fullMethodName.startsWith(HEALTH) ? new RequestBytes() : UNBOUNDED;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var listener = next.startCall(call, headers);
    if (!call.getMethodDescriptor().getFullMethodName().startsWith(HEALTH)) {
      return listener;
    }
    return connections
        .of(call.getAttributes())
        .<ServerCall.Listener<Q>>map(connection -> new RequestTime<>(listener, timer(connection)))
        .orElse(listener);
  }

  private Future<?> timer(Connection connection) {
    return connection.after(
        MAX_TIME,
        () ->
            disconnect(
                connection,
                "sent no complete request within %d s".formatted(MAX_TIME.toSeconds())));
  }

  private void disconnect(Connection connection, String what) {
    connections.close(connection, "request", "a health check " + what);
  }

  /** Counts the bytes of requests while they arrive. */
  private final class RequestBytes extends ServerStreamTracer {
    private Optional<Connection> connection = Optional.empty();
    private long bytes;

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      connection = connections.of(call.getAttributes());
    }

    @Override
    public void inboundWireSize(long more) {
      bytes += more;
      if (bytes > MAX_BYTES) {
        connection.ifPresent(
            from -> disconnect(from, "sent a request of more than %d bytes".formatted(MAX_BYTES)));
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
