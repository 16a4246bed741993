package dev.hapax.bootstrap.acceptance;

import io.grpc.stub.StreamObserver;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Receives the messages of a stream. */
record Received<R>(BlockingQueue<R> messages) implements StreamObserver<R> {
  Received() {
    this(new LinkedBlockingQueue<>());
  }

  @Override
  public void onNext(R message) {
    messages.add(message);
  }

  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onCompleted() {}

  /** Waits for the next message of this kind; drops those before it. */
  R await(Predicate<R> isWanted) throws InterruptedException {
    while (true) {
      var message = Objects.requireNonNull(messages.poll(20, TimeUnit.SECONDS), "no message");
      if (isWanted.test(message)) {
        return message;
      }
    }
  }
}
