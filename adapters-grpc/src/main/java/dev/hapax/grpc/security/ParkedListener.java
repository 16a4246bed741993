package dev.hapax.grpc.security;

import io.grpc.ServerCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps the events of a call until its caller is authenticated; no request is read before. */
final class ParkedListener<Q> extends ServerCall.Listener<Q> {
  // guarded by this
  private final List<Consumer<ServerCall.Listener<Q>>> events = new ArrayList<>();
  private ServerCall.@Nullable Listener<Q> listener;
  private boolean cancelled;

  /** Starts the call, unless it was cancelled meanwhile, and delivers the events. */
  synchronized void resume(Supplier<ServerCall.Listener<Q>> start) {
    if (!cancelled) {
      var started = start.get();
      listener = started;
      events.forEach(event -> event.accept(started));
    }
    events.clear();
  }

  private synchronized void deliver(Consumer<ServerCall.Listener<Q>> event) {
    if (listener == null) {
      events.add(event);
    } else {
      event.accept(listener);
    }
  }

  @Override
  public void onMessage(Q message) {
    deliver(to -> to.onMessage(message));
  }

  @Override
  public void onHalfClose() {
    deliver(ServerCall.Listener::onHalfClose);
  }

  @Override
  public synchronized void onCancel() {
    cancelled = true;
    deliver(ServerCall.Listener::onCancel);
  }

  @Override
  public void onComplete() {
    deliver(ServerCall.Listener::onComplete);
  }

  @Override
  public void onReady() {
    deliver(ServerCall.Listener::onReady);
  }
}
