package dev.hapax.grpc.call;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/**
 * A call that can be stopped from outside its handler. To the handler it is then cancelled, and its
 * responses are dropped.
 */
public final class StoppableCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private boolean closed;
  private boolean stopped;

  public StoppableCall(ServerCall<Q, A> delegate) {
    super(delegate);
  }

  /** Returns the call itself, if it can be stopped. */
  public static <Q, A> StoppableCall<Q, A> of(ServerCall<Q, A> call) {
    return call instanceof StoppableCall<Q, A> same ? same : new StoppableCall<>(call);
  }

  /**
   * Drops the requests after a stop, which the handler behind the listener sees as a cancellation.
   */
  public ServerCall.Listener<Q> guard(ServerCall.Listener<Q> listener) {
    return new SimpleForwardingServerCallListener<>(listener) {
      @Override
      public void onMessage(Q request) {
        if (!isStopped()) {
          super.onMessage(request);
        }
      }

      @Override
      public void onHalfClose() {
        if (!isStopped()) {
          super.onHalfClose();
        }
      }

      @Override
      public void onComplete() {
        if (isStopped()) {
          // or its handler would go on to wait, and get a grant that no one receives
          super.onCancel();
        } else {
          super.onComplete();
        }
      }
    };
  }

  /** Ends the call with an error, unless it is closed. */
  public synchronized void stop(StatusRuntimeException error) {
    if (!closed) {
      stopped = true;
      close(error.getStatus(), GrpcErrors.trailers(error));
    }
  }

  public synchronized boolean isStopped() {
    return stopped;
  }

  @Override
  public boolean isCancelled() {
    return isStopped() || super.isCancelled();
  }

  @Override
  public synchronized void sendHeaders(Metadata headers) {
    if (!closed) {
      super.sendHeaders(headers);
    }
  }

  @Override
  public synchronized void sendMessage(A message) {
    if (!closed) {
      super.sendMessage(message);
    }
  }

  @Override
  public synchronized void close(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      super.close(status, trailers);
    }
  }
}
