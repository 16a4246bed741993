package dev.hapax.grpc.cell;

import com.google.protobuf.Message;
import dev.hapax.grpc.call.StoppableCall;
import dev.hapax.grpc.security.RequestTargets;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.util.HashSet;
import java.util.Set;

/** Lets a call end when a workspace that its requests name moves to another cell. */
record MovableCallHandler<Q, A>(ServerCallHandler<Q, A> handler, MovableCalls calls)
    implements ServerCallHandler<Q, A> {

  @Override
  public ServerCall.Listener<Q> startCall(ServerCall<Q, A> call, Metadata headers) {
    var stoppable = StoppableCall.of(call);
    return new Open<>(handler.startCall(stoppable, headers), stoppable, calls);
  }

  private static final class Open<Q> extends SimpleForwardingServerCallListener<Q> {
    private final StoppableCall<Q, ?> call;
    private final MovableCalls calls;
    private final Set<String> workspaces = new HashSet<>();

    Open(ServerCall.Listener<Q> listener, StoppableCall<Q, ?> call, MovableCalls calls) {
      super(call.guard(listener));
      this.call = call;
      this.calls = calls;
    }

    @Override
    public void onMessage(Q request) {
      // before the cell is found: a move after that ends the call
      for (var workspace : RequestTargets.of((Message) request).workspaces()) {
        if (workspaces.add(workspace)) {
          calls.add(workspace, call);
        }
      }
      super.onMessage(request);
    }

    @Override
    public void onComplete() {
      remove();
      super.onComplete();
    }

    @Override
    public void onCancel() {
      remove();
      super.onCancel();
    }

    private void remove() {
      workspaces.forEach(workspace -> calls.remove(workspace, call));
    }
  }
}
