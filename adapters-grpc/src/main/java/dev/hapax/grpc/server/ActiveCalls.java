package dev.hapax.grpc.server;

import dev.hapax.grpc.call.StoppableCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tracks active calls, so that a stop can drain them. Streams of gRPC's own services have no end to
 * wait for, so a drain ends them.
 */
final class ActiveCalls implements ServerInterceptor {
  private static final String GRPC_SERVICES = "grpc.";

  private final Set<StoppableCall<?, ?>> calls = ConcurrentHashMap.newKeySet();
  private final Set<Drainable<?>> listeners = ConcurrentHashMap.newKeySet();
  private final Set<StoppableCall<?, ?>> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (call.getMethodDescriptor().getFullMethodName().startsWith(GRPC_SERVICES)) {
      return watch(new StoppableCall<>(call), headers, next);
    }
    var endable = new StoppableCall<>(call);
    calls.add(endable);
    try {
      var drainable = new Drainable<>(next.startCall(endable, headers), endable);
      listeners.add(drainable);
      return drainable;
    } catch (RuntimeException e) {
      ended(endable);
      throw e;
    }
  }

  private <Q, A> ServerCall.Listener<Q> watch(
      StoppableCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    watches.add(call);
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onComplete() {
        watches.remove(call);
        super.onComplete();
      }

      @Override
      public void onCancel() {
        watches.remove(call);
        super.onCancel();
      }
    };
  }

  private final class Drainable<Q> extends SimpleForwardingServerCallListener<Q> {
    private final StoppableCall<Q, ?> call;

    // guarded by this
    private boolean isRead;
    private boolean isHalfClosed;

    Drainable(ServerCall.Listener<Q> delegate, StoppableCall<Q, ?> call) {
      super(delegate);
      this.call = call;
    }

    @Override
    public synchronized void onMessage(Q message) {
      if (!isHalfClosed) {
        isRead = true;
        super.onMessage(message);
        if (draining) {
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

    /** Ends a stream as if its client had half-closed it. */
    synchronized void halfClose() {
      if (isRead || !hasOneRequest(call.getMethodDescriptor())) {
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

  /** Whether a call is unary by its proto; {@link RequestReader} gives it another type. */
  private static boolean hasOneRequest(MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier proto
        ? !proto.getMethodDescriptor().isClientStreaming()
        : method.getType().clientSendsOneMessage();
  }

  private void ended(StoppableCall<?, ?> call) {
    calls.remove(call);
    if (draining) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /**
   * Stops reading: each call answers the requests that it has read, and ends.
   *
   * @param error makes the error of one call of gRPC's own services
   */
  void drain(Supplier<StatusRuntimeException> error) {
    draining = true;
    watches.forEach(call -> call.stop(error.get()));
    listeners.forEach(Drainable::halfClose);
  }

  /** Waits until no call is active; false if it timed out. */
  synchronized boolean awaitNone(Duration timeout) throws InterruptedException {
    draining = true;
    long deadline = System.nanoTime() + timeout.toNanos();
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
   * Ends the calls that are still active and returns their number.
   *
   * @param error makes the error of one call, whose trailers must not be shared
   */
  int endAll(Supplier<StatusRuntimeException> error) {
    var left = Set.copyOf(calls);
    left.forEach(call -> call.stop(error.get()));
    return left.size();
  }
}
