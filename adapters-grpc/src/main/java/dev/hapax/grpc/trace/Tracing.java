package dev.hapax.grpc.trace;

import dev.hapax.domain.run.TraceParent;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Makes a span of the server for work that a caller traces. Without an OpenTelemetry SDK in the
 * process there is no such span, and the work belongs to that of the caller.
 */
public final class Tracing {
  /** Keeps the spans of callers, and makes none. */
  public static final Tracing NONE = new Tracing(OpenTelemetry.noop());

  /** The name of the instrumentation in each span. */
  private static final String SCOPE = "dev.hapax.server";

  private final Tracer tracer;

  public Tracing(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer(SCOPE);
  }

  /**
   * Does work in a span, provided that its caller traces.
   *
   * @param sent the span of the caller, as the request names it; empty = the header of the call
   * @param work receives the span that it belongs to
   */
  public <T> CompletableFuture<T> trace(
      String name,
      Optional<TraceParent> sent,
      Function<Optional<TraceParent>, CompletableFuture<T>> work) {
    var call = agentSpan();
    if (sent.isEmpty() && call.isPresent()) {
      return work.apply(call);
    }
    var parent = sent.or(TraceHeader::current);
    return parent.isEmpty() ? work.apply(parent) : traced(begin(name, parent.get()), work);
  }

  /** The span that an agent has made for a call with a header; another would show it twice. */
  private static Optional<TraceParent> agentSpan() {
    var current = Span.current().getSpanContext();
    return TraceHeader.current()
        .filter(header -> context(header.text()).getTraceId().equals(current.getTraceId()))
        .map(_ -> text(current));
  }

  private static <T> CompletableFuture<T> traced(
      Span span, Function<Optional<TraceParent>, CompletableFuture<T>> work) {
    try {
      var done = work.apply(Optional.of(text(span.getSpanContext())));
      var _ = done.whenComplete((_, failure) -> end(span, failure == null));
      return done;
    } catch (RuntimeException e) {
      end(span, false);
      throw e;
    }
  }

  private static void end(Span span, boolean succeeded) {
    if (!succeeded) {
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }

  private Span begin(String name, TraceParent parent) {
    return tracer
        .spanBuilder(name)
        .setSpanKind(SpanKind.SERVER)
        .setParent(Context.root().with(Span.wrap(context(parent.text()))))
        .startSpan();
  }

  private static SpanContext context(String text) {
    // version, trace, span, flags
    var part = text.split("-", -1);
    return SpanContext.createFromRemoteParent(
        part[1], part[2], TraceFlags.fromHex(part[3], 0), TraceState.getDefault());
  }

  private static TraceParent text(SpanContext span) {
    return new TraceParent(
        "00-%s-%s-%s".formatted(span.getTraceId(), span.getSpanId(), span.getTraceFlags().asHex()));
  }
}
