package dev.hapax.client.operation;

import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
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

  /** The response, or the {@link io.grpc.StatusRuntimeException} of any status but OK. */
  CompletableFuture<R> answer() {
    return answer;
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
