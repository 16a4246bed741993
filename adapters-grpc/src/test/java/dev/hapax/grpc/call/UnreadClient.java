package dev.hapax.grpc.call;

import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.CompletableFuture;

/** A client that reads nothing, until a test says so. */
public final class UnreadClient<R> extends ServerCallStreamObserver<R> {
  /** The status of the stream. */
  public final CompletableFuture<Throwable> ended = new CompletableFuture<>();

  private volatile boolean ready;

  void read() {
    ready = true;
  }

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public void onNext(R message) {}

  @Override
  public void onError(Throwable failure) {
    ended.complete(failure);
  }

  @Override
  public void onCompleted() {}

  @Override
  public void setOnReadyHandler(Runnable handler) {}

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
