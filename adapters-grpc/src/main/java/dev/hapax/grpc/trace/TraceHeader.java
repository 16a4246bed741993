package dev.hapax.grpc.trace;

import dev.hapax.domain.run.TraceParent;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Optional;

/**
 * Reads the header {@code traceparent} of calls. A header that is not valid is ignored, as the W3C
 * Trace Context demands.
 */
public enum TraceHeader implements ServerInterceptor {
  INSTANCE;

  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  private static final Context.Key<Optional<TraceParent>> KEY =
      Context.keyWithDefault("hapax-traceparent", Optional.empty());

  /** The span of the caller of the call that this thread handles. */
  public static Optional<TraceParent> current() {
    return KEY.get();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var header = headers.get(TRACEPARENT);
    if (header == null || !TraceParent.isValid(header)) {
      return next.startCall(call, headers);
    }
    var context = Context.current().withValue(KEY, Optional.of(new TraceParent(header)));
    return Contexts.interceptCall(context, call, headers, next);
  }
}
