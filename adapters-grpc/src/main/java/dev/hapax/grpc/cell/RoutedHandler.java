package dev.hapax.grpc.cell;

import com.google.protobuf.Message;
import dev.hapax.grpc.call.GrpcErrors;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.util.function.Function;

/**
 * Starts a call with one request once the request has arrived, at the handler of its cell.
 *
 * @param handlers returns the handler for a request, or throws if its cell is not usable
 */
record RoutedHandler<Q, A>(Function<Message, ServerCallHandler<Q, A>> handlers)
    implements ServerCallHandler<Q, A> {

  @Override
  public ServerCall.Listener<Q> startCall(ServerCall<Q, A> call, Metadata headers) {
    call.request(1);
    return new Routed<>(handlers, call, headers);
  }

  private static final class Routed<Q, A> extends ServerCall.Listener<Q> {
    private final Function<Message, ServerCallHandler<Q, A>> handlers;
    private final ServerCall<Q, A> call;
    private final Metadata headers;

    /** Does nothing until the request has arrived. */
    private ServerCall.Listener<Q> handler = new ServerCall.Listener<>() {};

    Routed(
        Function<Message, ServerCallHandler<Q, A>> handlers,
        ServerCall<Q, A> call,
        Metadata headers) {
      this.handlers = handlers;
      this.call = call;
      this.headers = headers;
    }

    /** Comes once: the reader of requests rejects a second one. */
    @Override
    public void onMessage(Q request) {
      try {
        handler = handlers.apply((Message) request).startCall(call, headers);
      } catch (RuntimeException e) {
        var error = GrpcErrors.of(e);
        call.close(error.getStatus(), GrpcErrors.trailers(error));
        return;
      }
      handler.onMessage(request);
    }

    @Override
    public void onHalfClose() {
      handler.onHalfClose();
    }

    @Override
    public void onCancel() {
      handler.onCancel();
    }

    @Override
    public void onComplete() {
      handler.onComplete();
    }

    @Override
    public void onReady() {
      handler.onReady();
    }
  }
}
