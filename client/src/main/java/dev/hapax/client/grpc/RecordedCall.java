package dev.hapax.client.grpc;

import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The call as its handler uses it. Holds the response until Hapax has recorded it, and hides the
 * cancellation of the caller from the handler, which continues.
 */
final class RecordedCall<Q, R> extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(RecordedCall.class);

  private final CompletableFuture<R> answer = new CompletableFuture<>();
  private @Nullable Metadata headers;
  private @Nullable R message;
  private Metadata trailers = new Metadata();
  private boolean hasTwoMessages;
  private boolean closed;

  RecordedCall(ServerCall<Q, R> call) {
    super(call);
  }

  /**
   * Waits for the response, which may come from another thread. Not interruptible: to give up would
   * free the key of a handler that still runs.
   *
   * @throws StatusRuntimeException with any status but OK
   */
  R await() {
    try {
      return answer.join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof StatusRuntimeException status ? status : failed;
    }
  }

  /** The headers that the handler sent; null if none. */
  synchronized @Nullable Metadata headers() {
    return headers;
  }

  /** The trailers that the handler sent. */
  synchronized Metadata trailers() {
    return trailers;
  }

  /** The interceptor has received the only request already. */
  @Override
  public void request(int count) {}

  @Override
  public boolean isCancelled() {
    return false;
  }

  /** The response is held back anyway. */
  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public synchronized void sendHeaders(Metadata headers) {
    if (this.headers != null) {
      throw new IllegalStateException("sendHeaders has already been called");
    }
    this.headers = headers;
  }

  @Override
  public synchronized void sendMessage(R message) {
    if (closed) {
      throw new IllegalStateException("call is closed");
    }
    hasTwoMessages = this.message != null;
    this.message = message;
  }

  @Override
  public void close(Status status, Metadata trailers) {
    R response;
    Status end;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("call already closed");
      }
      closed = true;
      this.trailers = trailers;
      response = message;
      end = checked(status);
    }
    if (end.isOk() && response != null) {
      answer.complete(response);
    } else {
      answer.completeExceptionally(end.asRuntimeException(trailers));
    }
  }

  /** Records an exception of the handler; an open call ends as without an interceptor. */
  void threw(Throwable thrown) {
    log.error("the handler of {} threw", getMethodDescriptor().getFullMethodName(), thrown);
    boolean open;
    synchronized (this) {
      open = !closed;
    }
    if (open) {
      close(
          Status.UNKNOWN.withDescription("Application error processing RPC").withCause(thrown),
          new Metadata());
    }
  }

  private Status checked(Status status) {
    if (!status.isOk()) {
      return status;
    }
    if (hasTwoMessages) {
      return Status.INTERNAL.withDescription("Too many responses");
    }
    return message == null
        ? Status.INTERNAL.withDescription("Completed without a response")
        : status;
  }
}
