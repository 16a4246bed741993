package dev.hapax.client.internal;

import dev.hapax.v1.Run;
import dev.hapax.v1.Task;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The traces of OpenTelemetry. Calls nothing that its API lacks in 1.31; {@link DetectedTraces}
 * alone may load this class.
 */
final class OtelTraces implements Traces {

  private static final String SCOPE = "dev.hapax.client";
  private static final String HEADER = "traceparent";

  /**
   * The longest trace; a step that begins later has a trace of its own with a link to the first.
   */
  private static final Duration LONGEST_TRACE = Duration.ofHours(1);

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

  private final MethodHandle global = global();

  /** After {@code get()} an application can set no SDK; 1.57 and later have a method without it. */
  private static MethodHandle global() {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    MethodType type = MethodType.methodType(OpenTelemetry.class);
    try {
      return lookup.findStatic(GlobalOpenTelemetry.class, "getOrNoop", type);
    } catch (NoSuchMethodException older) {
      try {
        return lookup.findStatic(GlobalOpenTelemetry.class, "get", type);
      } catch (ReflectiveOperationException foreign) {
        throw new LinkageError("GlobalOpenTelemetry has no get()", foreign);
      }
    } catch (IllegalAccessException foreign) {
      throw new LinkageError("GlobalOpenTelemetry is not accessible", foreign);
    }
  }

  private OpenTelemetry openTelemetry() {
    try {
      return (OpenTelemetry) global.invokeExact();
    } catch (RuntimeException | Error broken) {
      throw broken;
    } catch (Throwable impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public String current() {
    SpanContext span = Span.current().getSpanContext();
    return span.isValid()
        ? "00-%s-%s-%s".formatted(span.getTraceId(), span.getSpanId(), span.getTraceFlags().asHex())
        : "";
  }

  @Override
  public Runnable wrap(Runnable work) {
    return Context.current().wrap(work);
  }

  @Override
  public <T> T inSpan(Task task, Callable<T> work) throws Exception {
    Span span = start(task);
    try {
      return Context.root().with(span).wrap(work).call();
    } catch (Throwable thrown) {
      span.setStatus(StatusCode.ERROR).recordException(thrown);
      throw thrown;
    } finally {
      span.end();
    }
  }

  private Span start(Task task) {
    Run run = task.getRun();
    SpanBuilder span =
        openTelemetry()
            .getTracer(SCOPE)
            .spanBuilder(run.getDefinition() + "/" + task.getStep().getName())
            .setSpanKind(SpanKind.CONSUMER)
            .setAttribute("hapax.workspace", run.getWorkspace())
            .setAttribute("hapax.run.id", run.getId())
            .setAttribute("hapax.step.attempt", task.getStep().getAttempt());
    SpanContext start = read(run.getTraceparent());
    if (start.isValid() && isShort(run)) {
      return span.setParent(Context.root().with(Span.wrap(start))).startSpan();
    }
    // without effect if the start is not valid
    return span.setNoParent().addLink(start).startSpan();
  }

  /** The span of a header; not valid if the header is empty or malformed. */
  private static SpanContext read(String header) {
    Context found = W3CTraceContextPropagator.getInstance().extract(Context.root(), header, READER);
    return Span.fromContext(found).getSpanContext();
  }

  private static boolean isShort(Run run) {
    Instant created = ProtoTimes.toJava(run.getCreatedAt());
    return Duration.between(created, Instant.now()).compareTo(LONGEST_TRACE) < 0;
  }
}
