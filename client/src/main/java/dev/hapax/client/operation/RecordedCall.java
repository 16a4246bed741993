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
 * The call as its handler sees it. Whatever the handler answers is kept back until Hapax has
 * recorded it; the caller's going away is kept from the handler, whose work goes on.
 */
final class RecordedCall<Q, R> extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(RecordedCall.class);

  private final CompletableFuture<R> answer = new CompletableFuture<>();
  private @Nullable Metadata headers;
  private @Nullable R message;
  private Metadata trailers = new Metadata();
  private boolean tooMany;
  private boolean closed;

  RecordedCall(ServerCall<Q, R> call) {
    super(call);
  }

  /** The response, or the {@link io.grpc.StatusRuntimeException} of any status but OK. */
  CompletableFuture<R> answer() {
    return answer;
  }

  /** What the handler sent ahead; null if nothing. */
  synchronized @Nullable Metadata headers() {
    return headers;
  }

  /** What the handler sent after its response. */
  synchronized Metadata trailers() {
    return trailers;
  }

  /** The one request there is has been received already. */
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
    tooMany = this.message != null;
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

  /** The handler threw: what it had not closed ends as it would without an interceptor. */
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
    if (tooMany) {
      return Status.INTERNAL.withDescription("Too many responses");
    }
    return message == null
        ? Status.INTERNAL.withDescription("Completed without a response")
        : status;
  }
}
