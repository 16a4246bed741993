package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.StoppableCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ServerCall;
import io.grpc.StatusRuntimeException;

/**
 * Requires the right to make each request of a call, and drops the requests after one was denied. A
 * stopped call is cancelled.
 */
final class AuthorizingListener<Q> extends SimpleForwardingServerCallListener<Q> {
  private final StoppableCall<Q, ?> call;
  private final CallAccess access;
  private final Runnable onEnd;

  AuthorizingListener(
      ServerCall.Listener<Q> listener,
      StoppableCall<Q, ?> call,
      CallAccess access,
      Runnable onEnd) {
    super(call.guard(listener));
    this.call = call;
    this.access = access;
    this.onEnd = onEnd;
  }

  @Override
  public void onMessage(Q request) {
    // a request that could not be parsed is rejected further in
    if (!call.isStopped() && request instanceof Message message) {
      try {
        // the end of the call frees the place
        var _ = access.require(message);
      } catch (StatusRuntimeException e) {
        call.stop(e);
      }
    }
    super.onMessage(request);
  }

  @Override
  public void onComplete() {
    onEnd.run();
    super.onComplete();
  }

  @Override
  public void onCancel() {
    onEnd.run();
    super.onCancel();
  }
}
