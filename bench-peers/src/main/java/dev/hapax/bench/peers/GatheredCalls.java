package dev.hapax.bench.peers;

import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Calls on a stream, batched: calls that are ready at the same time share one message.
 *
 * @param <C> type of a call
 * @param <M> type of a message
 * @param <A> type of an answer
 */
final class GatheredCalls<C, M, A> {
  private static final int MAX_CALLS = 500;
  private static final Executor SENDER =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("stream-sender").factory());

  private final Function<List<C>, M> message;
  private final AtomicInteger last = new AtomicInteger();
  private final ConcurrentMap<Integer, Consumer<A>> unanswered = new ConcurrentHashMap<>();

  // guarded by this
  private final List<C> ready = new ArrayList<>();
  private boolean sending;
  private StreamObserver<M> stream;

  GatheredCalls(StreamObserver<M> stream, Function<List<C>, M> message) {
    this.stream = stream;
    this.message = message;
  }

  /** Queues a call behind earlier ones; {@code then} receives its answer. */
  void send(IntFunction<C> call, Consumer<A> then) {
    var id = last.incrementAndGet();
    unanswered.put(id, then);
    synchronized (this) {
      ready.add(call.apply(id));
      if (sending) {
        return;
      }
      sending = true;
    }
    SENDER.execute(this::sendReady);
  }

  private void sendReady() {
    while (true) {
      synchronized (this) {
        if (ready.isEmpty()) {
          sending = false;
          return;
        }
        var some = ready.subList(0, Math.min(MAX_CALLS, ready.size()));
        stream.onNext(message.apply(some));
        some.clear();
      }
    }
  }

  /** Sends a message without calls. */
  synchronized void send(M other) {
    stream.onNext(other);
  }

  /** Switches to another stream; answers on the former stream still arrive. */
  synchronized void moveTo(StreamObserver<M> another) {
    stream.onCompleted();
    stream = another;
  }

  void answered(int id, A answer) {
    var then = unanswered.remove(id);
    if (then != null) {
      then.accept(answer);
    }
  }
}
