package dev.hapax.client.worker;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.TraceParents;
import dev.hapax.v1.Run;
import dev.hapax.v1.Task;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;

/**
 * The span in which a handler works. Without an OpenTelemetry SDK it does nothing.
 *
 * @param span not started yet
 */
record TaskSpan(SpanBuilder span) {

  private static final String SCOPE = "dev.hapax.client";

  /**
   * The longest trace; a step that begins later has a trace of its own with a link to the first.
   */
  private static final Duration LONGEST_TRACE = Duration.ofHours(1);

  static TaskSpan of(Task task) {
    Run run = task.getRun();
    SpanBuilder span =
        GlobalOpenTelemetry.getOrNoop()
            .getTracer(SCOPE)
            .spanBuilder(run.getDefinition() + "/" + task.getStep().getName())
            .setSpanKind(SpanKind.CONSUMER)
            .setAttribute("hapax.workspace", run.getWorkspace())
            .setAttribute("hapax.run.id", run.getId())
            .setAttribute("hapax.step.attempt", task.getStep().getAttempt());
    SpanContext start = TraceParents.read(run.getTraceparent());
    if (start.isValid() && isShort(run)) {
      return new TaskSpan(span.setParent(Context.root().with(Span.wrap(start))));
    }
    // without effect if the start is not valid
    return new TaskSpan(span.setNoParent().addLink(start));
  }

  /** Does the work of the task in this span, which ends with it. */
  <T> T call(Callable<T> work) throws Exception {
    Span started = span.startSpan();
    try {
      return Context.root().with(started).wrap(work).call();
    } catch (Throwable thrown) {
      started.setStatus(StatusCode.ERROR).recordException(thrown);
      throw thrown;
    } finally {
      started.end();
    }
  }

  private static boolean isShort(Run run) {
    Instant created = ProtoTimes.toJava(run.getCreatedAt());
    return Duration.between(created, Instant.now()).compareTo(LONGEST_TRACE) < 0;
  }
}
