package dev.hapax.client.internal;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Spans as headers {@code traceparent} of the W3C Trace Context. */
public final class TraceParents {

  private static final String HEADER = "traceparent";

  private static final Metadata.Key<String> KEY =
      Metadata.Key.of(HEADER, Metadata.ASCII_STRING_MARSHALLER);

  private static final TextMapGetter<String> READER =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(String header) {
          return List.of(HEADER);
        }

        @Override
        public @Nullable String get(@Nullable String header, String key) {
          return key.equals(HEADER) ? header : null;
        }
      };

  private TraceParents() {}

  /** The current span; empty without one. */
  public static String current() {
    SpanContext span = Span.current().getSpanContext();
    return span.isValid()
        ? "00-%s-%s-%s".formatted(span.getTraceId(), span.getSpanId(), span.getTraceFlags().asHex())
        : "";
  }

  /** A channel whose calls send the current span. */
  static Channel sendCurrent(Channel channel) {
    String span = current();
    if (span.isEmpty()) {
      return channel;
    }
    Metadata headers = new Metadata();
    headers.put(KEY, span);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Work for another thread, in the current span. */
  static Runnable inCurrent(Runnable work) {
    return Context.current().wrap(work);
  }

  /** The span of a header; not valid if the header is empty or malformed. */
  public static SpanContext read(String header) {
    Context found = W3CTraceContextPropagator.getInstance().extract(Context.root(), header, READER);
    return Span.fromContext(found).getSpanContext();
  }
}
