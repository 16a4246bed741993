package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import com.google.rpc.Status;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;

/** The unary calls of one thread, with what was answered. */
final class RecordedCalls implements ClientInterceptor {
  /**
   * One call.
   *
   * @param answer the message, or the status of an error
   */
  record Recorded(String method, Message answer) {
    boolean hasFailed() {
      return answer instanceof Status;
    }
  }

  private final List<Recorded> calls = new ArrayList<>();

  synchronized List<Recorded> calls() {
    return List.copyOf(calls);
  }

  private synchronized void add(MethodDescriptor<?, ?> method, Message answer) {
    calls.add(new Recorded(method.getFullMethodName(), answer));
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> answers, Metadata headers) {
        super.start(new Recording<>(answers, method), headers);
      }
    };
  }

  private final class Recording<A> extends SimpleForwardingClientCallListener<A> {
    private final MethodDescriptor<?, A> method;

    Recording(ClientCall.Listener<A> delegate, MethodDescriptor<?, A> method) {
      super(delegate);
      this.method = method;
    }

    @Override
    public void onMessage(A message) {
      add(method, (Message) message);
      super.onMessage(message);
    }

    @Override
    public void onClose(io.grpc.Status status, Metadata trailers) {
      if (!status.isOk()) {
        add(method, StatusProto.fromStatusAndTrailers(status, trailers));
      }
      super.onClose(status, trailers);
    }
  }
}
