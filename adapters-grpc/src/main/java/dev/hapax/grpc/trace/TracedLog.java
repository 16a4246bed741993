package dev.hapax.grpc.trace;

import dev.hapax.domain.run.TraceParent;
import java.util.Optional;
import org.slf4j.MDC;

/**
 * Writes lines of the log that belong to a call, with the trace of its caller in the MDC. The names
 * are those of OpenTelemetry.
 */
public final class TracedLog {
  private TracedLog() {}

  /** Writes a line for a call with this span, which may have none. */
  public static void write(Optional<TraceParent> caller, Runnable line) {
    if (caller.isEmpty()) {
      line.run();
      return;
    }
    try (var _ = MDC.putCloseable("trace_id", caller.get().traceId());
        var _ = MDC.putCloseable("span_id", caller.get().spanId())) {
      line.run();
    }
  }
}
