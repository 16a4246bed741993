package dev.hapax.grpc.call;

import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Receives the messages of a client on a stream that only carries calls.
 *
 * @param calls the calls of a message
 * @param cancelled the ids of the calls that a message cancels
 * @param begin begins a call
 * @param <Q> the messages
 * @param <C> the calls in them
 */
public record CallReceiver<Q, C>(
    CallStream<?, ?, ?> stream,
    Function<Q, List<C>> calls,
    Function<Q, List<Integer>> cancelled,
    Consumer<C> begin)
    implements StreamObserver<Q> {

  /** Starts to read. */
  public CallReceiver<Q, C> start() {
    stream.start(() -> {}, () -> {});
    return this;
  }

  @Override
  public void onNext(Q message) {
    var received = calls.apply(message);
    stream.receive(received.size(), cancelled.apply(message), () -> received.forEach(begin));
    if (stream.isOld()) {
      stream.finish();
    }
  }

  /** Does nothing: the call stream's own handler runs first. */
  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onCompleted() {
    stream.finish();
  }
}
