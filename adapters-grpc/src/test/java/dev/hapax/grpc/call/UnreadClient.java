package dev.hapax.grpc.call;

import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A client that reads nothing, until a test says so. */
public final class UnreadClient<R> extends ServerCallStreamObserver<R> {
  /** The status of the stream. */
  public final CompletableFuture<Throwable> ended = new CompletableFuture<>();

  /** The messages of the stream. */
  public final List<R> received = new CopyOnWriteArrayList<>();

  private final AtomicInteger readable = new AtomicInteger();
  private Runnable onReady = () -> {};

  void read() {
    readable.set(Integer.MAX_VALUE);
  }

  /** Reads so many messages more. */
  public void read(int messages) {
    readable.addAndGet(messages);
    onReady.run();
  }

  @Override
  public boolean isReady() {
    return readable.get() > 0;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public void onNext(R message) {
    received.add(message);
    readable.decrementAndGet();
  }

  @Override
  public void onError(Throwable failure) {
    ended.complete(failure);
  }

  @Override
  public void onCompleted() {}

  @Override
  public void setOnReadyHandler(Runnable handler) {
    onReady = handler;
  }

  @Override
  public void setOnCancelHandler(Runnable handler) {}

  @Override
  public void setOnCloseHandler(Runnable handler) {}

  @Override
  public void setCompression(String compression) {}

  @Override
  public void disableAutoInboundFlowControl() {}

  @Override
  public void disableAutoRequest() {}

  @Override
  public void request(int count) {}

  @Override
  public void setMessageCompression(boolean enable) {}
}
