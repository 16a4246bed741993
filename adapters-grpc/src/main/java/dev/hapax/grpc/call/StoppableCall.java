package dev.hapax.grpc.call;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

/** A call that others than its handler can end; responses of its handler after that are dropped. */
public final class StoppableCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private boolean closed;

  public StoppableCall(ServerCall<Q, A> delegate) {
    super(delegate);
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
