package dev.hapax.grpc.quota;

import com.google.protobuf.MessageLite;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.quota.Connection.End;
import io.grpc.Attributes;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Bounds what a connection costs: the calls of callers that never authenticated, and the memory of
 * responses that no caller reads. When all unread responses together exceed a limit, connections
 * whose callers have read nothing for a while are closed.
 */
public final class ConnectionGuard implements ServerInterceptor {
  /** A caller that reads nothing for so long may be disconnected. */
  static final Duration STALLED = Duration.ofSeconds(10);

  private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

  private final ConnectionRegistry connections;
  private final Predicate<String> isPublic;
  private final long maxUnreadBytes;
  private final LongSupplier nanoTime;
  private final AtomicLong unreadBytes = new AtomicLong();
  private final AtomicLong nextSweep;

  /**
   * Makes a guard.
   *
   * @param isPublic whether the method with this full name needs no credentials
   * @param maxUnreadBytes the most bytes of unread responses, before stalled callers are
   *     disconnected
   */
  public ConnectionGuard(
      ConnectionRegistry connections,
      Predicate<String> isPublic,
      long maxUnreadBytes,
      LongSupplier nanoTime) {
    this.connections = connections;
    this.isPublic = isPublic;
    this.maxUnreadBytes = maxUnreadBytes;
    this.nanoTime = nanoTime;
    this.nextSweep = new AtomicLong(nanoTime.getAsLong());
  }

  /** The share of the heap that unread responses may take. */
  public static long shareOfHeap() {
    return Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8);
  }

  /** The bytes of all responses that wait for their callers to read. */
  public long unreadBytes() {
    return unreadBytes.get();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var connection = connections.of(call.getAttributes());
    if (connection.isEmpty()) {
      return next.startCall(call, headers);
    }
    if (!connection.get().begin(isPublic(call))) {
      var error = tooManyCalls();
      call.close(error.getStatus(), GrpcErrors.trailers(error));
      refused(connection.get());
      return new ServerCall.Listener<>() {};
    }
    var guarded = new GuardedCall<>(call, connection.get());
    try {
      return new GuardListener<>(next.startCall(guarded, headers), guarded);
    } catch (RuntimeException e) {
      guarded.end(End.COMPLETED);
      throw e;
    }
  }

  private boolean isPublic(ServerCall<?, ?> call) {
    return isPublic.test(call.getMethodDescriptor().getFullMethodName());
  }

  private void refused(Connection connection) {
    if (!connection.refuse()) {
      connections.close(
          connection,
          "refused",
          String.format(
              Locale.ROOT,
              "%d of its calls were refused without a valid credential",
              Connection.UNPROVEN_REFUSALS));
    }
  }

  private static StatusRuntimeException tooManyCalls() {
    return GrpcErrors.rateLimited(
        String.format(
            Locale.ROOT,
            "connections without a valid credential may have %d open calls, and those of an address %d open health checks; authenticate first",
            Connection.UNPROVEN_CALLS,
            Connection.UNPROVEN_CALLS_OF_NETWORK),
        Map.of("limit", "unauthenticated-calls"),
        Duration.ofSeconds(1));
  }

  /** A call whose responses count until its caller has read them. */
  private final class GuardedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final Connection connection;

    // guarded by this
    private long unread;
    private boolean ended;

    GuardedCall(ServerCall<Q, A> delegate, Connection connection) {
      super(delegate);
      this.connection = connection;
    }

    @Override
    public Attributes getAttributes() {
      return super.getAttributes().toBuilder().set(Connection.KEY, connection).build();
    }

    @Override
    public void close(Status status, Metadata trailers) {
      super.close(status, trailers);
      if (status.getCode() == Status.Code.UNAUTHENTICATED) {
        refused(connection);
      }
    }

    @Override
    public void sendMessage(A message) {
      super.sendMessage(message);
      // a unary response has left when its call ends, those on a stream when it is ready again
      if (message instanceof MessageLite sized
          && (getMethodDescriptor().getType().serverSendsOneMessage() || !isReady())) {
        sent(sized.getSerializedSize());
      }
    }

    private void sent(int bytes) {
      var now = nanoTime.getAsLong();
      synchronized (this) {
        if (ended) {
          return;
        }
        unread += bytes;
        connection.sent(bytes, now);
      }
      if (unreadBytes.addAndGet(bytes) > maxUnreadBytes) {
        sweep(now);
      }
    }

    void left() {
      long bytes;
      synchronized (this) {
        bytes = unread;
        unread = 0;
      }
      connection.left(bytes, nanoTime.getAsLong());
      unreadBytes.addAndGet(-bytes);
    }

    void end(End how) {
      synchronized (this) {
        if (ended) {
          return;
        }
        ended = true;
      }
      left();
      if (!connection.end(how, isPublic(this))) {
        connections.close(
            connection, "cancels", "it cancelled too many calls without a valid credential");
      }
    }
  }

  private void sweep(long now) {
    var due = nextSweep.get();
    if (now - due >= 0 && nextSweep.compareAndSet(due, now + SWEEP_NANOS)) {
      for (var connection : connections.open()) {
        if (connection.isStalled(STALLED.toNanos(), now)) {
          connections.close(
              connection,
              "unread",
              String.format(Locale.ROOT, "it left %d bytes unread", connection.unreadBytes()));
        }
      }
    }
  }

  private static final class GuardListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final ConnectionGuard.GuardedCall<Q, ?> call;

    GuardListener(ServerCall.Listener<Q> delegate, ConnectionGuard.GuardedCall<Q, ?> call) {
      super(delegate);
      this.call = call;
    }

    @Override
    public void onReady() {
      call.left();
      super.onReady();
    }

    @Override
    public void onComplete() {
      call.end(End.COMPLETED);
      super.onComplete();
    }

    @Override
    public void onCancel() {
      call.end(End.CANCELLED);
      super.onCancel();
    }
  }
}
