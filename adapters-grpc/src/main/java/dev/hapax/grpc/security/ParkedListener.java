package dev.hapax.grpc.security;

import dev.hapax.grpc.call.GrpcErrors;
import io.grpc.ServerCall;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the events of a call until its caller is authenticated; no request is read before. One
 * thread at a time delivers them, and the thread of the transport never waits for another one.
 */
final class ParkedListener<Q> extends ServerCall.Listener<Q> {
  private final ServerCall<Q, ?> call;

  /** Written before the first delivery; who delivers was given that right under the lock. */
  private ServerCall.@Nullable Listener<Q> listener;

  // guarded by this
  private final Queue<Consumer<ServerCall.Listener<Q>>> events = new ArrayDeque<>();
  private boolean delivering = true;
  private boolean ended;

  ParkedListener(ServerCall<Q, ?> call) {
    this.call = call;
  }

  /** Starts the call, unless it ended meanwhile, and delivers the events. */
  void resume(Supplier<ServerCall.Listener<Q>> start) {
    if (isEnded()) {
      return;
    }
    try {
      listener = start.get();
    } catch (RuntimeException e) {
      close(e);
      listener = new ServerCall.Listener<>() {};
    }
    deliverAll();
  }

  private synchronized boolean isEnded() {
    return ended;
  }

  private void add(Consumer<ServerCall.Listener<Q>> event) {
    synchronized (this) {
      events.add(event);
      if (delivering) {
        return;
      }
      delivering = true;
    }
    deliverAll();
  }

  private void deliverAll() {
    for (var event = next(); event != null; event = next()) {
      try {
        event.accept(Objects.requireNonNull(listener));
      } catch (RuntimeException e) {
        close(e);
      }
    }
  }

  private synchronized @Nullable Consumer<ServerCall.Listener<Q>> next() {
    var event = events.poll();
    delivering = event != null;
    return event;
  }

  /** gRPC does so itself, but only on the thread of the transport. */
  private void close(RuntimeException failure) {
    var error = GrpcErrors.of(failure);
    call.close(error.getStatus(), GrpcErrors.trailers(error));
  }

  private void end(Consumer<ServerCall.Listener<Q>> event) {
    synchronized (this) {
      ended = true;
    }
    add(event);
  }

  @Override
  public void onMessage(Q message) {
    add(to -> to.onMessage(message));
  }

  @Override
  public void onHalfClose() {
    add(ServerCall.Listener::onHalfClose);
  }

  @Override
  public void onCancel() {
    end(ServerCall.Listener::onCancel);
  }

  @Override
  public void onComplete() {
    end(ServerCall.Listener::onComplete);
  }

  @Override
  public void onReady() {
    add(ServerCall.Listener::onReady);
  }
}
