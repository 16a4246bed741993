package dev.hapax.grpc.server;

import dev.hapax.grpc.call.Errors;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Knows the calls a stop has to wait for: all but gRPC's own streams, which never end. */
final class ActiveCalls implements ServerInterceptor {
  private static final String GRPC_SERVICES = "grpc.";

  private final Set<StoppableCall<?, ?>> calls = ConcurrentHashMap.newKeySet();
  private final Set<Watched<?>> listeners = ConcurrentHashMap.newKeySet();
  private volatile boolean awaited;

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (call.getMethodDescriptor().getFullMethodName().startsWith(GRPC_SERVICES)) {
      return next.startCall(call, headers);
    }
    var endable = new StoppableCall<>(call);
    calls.add(endable);
    try {
      var watched = new Watched<>(next.startCall(endable, headers), endable);
      listeners.add(watched);
      return watched;
    } catch (RuntimeException e) {
      ended(endable);
      throw e;
    }
  }

  private final class Watched<Q> extends SimpleForwardingServerCallListener<Q> {
    private final StoppableCall<Q, ?> call;

    // guarded by this
    private boolean isRead;
    private boolean isHalfClosed;

    Watched(ServerCall.Listener<Q> delegate, StoppableCall<Q, ?> call) {
      super(delegate);
      this.call = call;
    }

    @Override
    public synchronized void onMessage(Q message) {
      if (!isHalfClosed) {
        isRead = true;
        super.onMessage(message);
        if (awaited) {
          halfClose();
        }
      }
    }

    @Override
    public synchronized void onHalfClose() {
      if (!isHalfClosed) {
        isHalfClosed = true;
        super.onHalfClose();
      }
    }

    /** A stream ends as if its client had sent all it wants to. */
    synchronized void halfClose() {
      if (isRead || !call.getMethodDescriptor().getType().clientSendsOneMessage()) {
        onHalfClose();
      }
    }

    @Override
    public void onComplete() {
      listeners.remove(this);
      ended(call);
      super.onComplete();
    }

    @Override
    public void onCancel() {
      listeners.remove(this);
      ended(call);
      super.onCancel();
    }
  }

  private void ended(StoppableCall<?, ?> call) {
    calls.remove(call);
    if (awaited) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Reads no more requests of those there are: each answers what it has read, and ends. */
  void drain() {
    awaited = true;
    listeners.forEach(Watched::halfClose);
  }

  /** Waits until there is none; false if the time was over first. */
  synchronized boolean awaitNone(Duration patience) throws InterruptedException {
    awaited = true;
    long deadline = System.nanoTime() + patience.toNanos();
    while (!calls.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  /**
   * Ends those that are left; how many there were.
   *
   * @param error made for each call, whose trailers are its own
   */
  int endAll(Supplier<StatusRuntimeException> error) {
    var left = Set.copyOf(calls);
    left.forEach(call -> end(call, error.get()));
    return left.size();
  }

  private static void end(StoppableCall<?, ?> call, StatusRuntimeException error) {
    call.close(error.getStatus(), Errors.trailers(error));
  }
}
