package dev.hapax.bootstrap.server;

import static dev.hapax.bootstrap.config.PrintableText.quote;

import dev.hapax.domain.monitoring.WorkEvent;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs work events for operators, at most {@link #LINES} lines per kind of event in ten seconds;
 * metrics count all of them. No line contains a payload, a token or a request id.
 */
final class WorkLog implements Consumer<WorkEvent> {
  static final int LINES = 20;
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Logger LOG = LoggerFactory.getLogger(WorkLog.class);

  private final LongSupplier nanoTime;
  private final Map<Class<?>, Window> windows = new ConcurrentHashMap<>();

  /** Creates the log with a clock such as {@link System#nanoTime}. */
  WorkLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public void accept(WorkEvent event) {
    switch (event) {
      case WorkEvent.RunEnded _, WorkEvent.RetryScheduled _, WorkEvent.IntentTaken _ -> {}
      case WorkEvent.StepReleased(var run, var definition, var step, var reason) ->
          log(
              event,
              String.format(
                  Locale.ROOT,
                  "step released: run %s of definition %s, step %s, code %s",
                  run.text(),
                  quote(definition),
                  quote(step),
                  quote(reason)));
      case WorkEvent.RunFailed(var run, var definition, var step, var attempt, var code) ->
          log(
              event,
              String.format(
                  Locale.ROOT,
                  "run FAILED: %s of definition %s, step %s, attempt %d, code %s",
                  run.text(),
                  quote(definition),
                  quote(step),
                  attempt,
                  quote(code)));
      case WorkEvent.EffectDeadLettered(
              var run,
              var effect,
              var lifecycle,
              var attempt,
              var code) ->
          log(
              event,
              String.format(
                  Locale.ROOT,
                  "after-effect dead-lettered: run %s of effect %s, lifecycle %s, attempt %d, code %s",
                  run.text(),
                  quote(effect),
                  quote(lifecycle),
                  attempt,
                  quote(code)));
      case WorkEvent.TaskLeaseExpired(var run, var definition, var step, var attempt, var worker) ->
          log(
              event,
              String.format(
                  Locale.ROOT,
                  "lease expired: run %s of definition %s, step %s, attempt %d, worker %s",
                  run.text(),
                  quote(definition),
                  quote(step),
                  attempt,
                  quote(worker)));
      case WorkEvent.OperationLeaseExpired(_, var operation, var attempt) ->
          log(
              event,
              String.format(
                  Locale.ROOT,
                  "lease expired: operation %s, attempt %d",
                  quote(operation),
                  attempt));
      case WorkEvent.EntityLeaseExpired(_, var lifecycle, var id, var holder, var recovery) ->
          log(
              event,
              "lease expired: entity %s/%s, %s %s"
                  .formatted(
                      quote(lifecycle),
                      quote(id),
                      recovery ? "recovery by" : "holder",
                      quote(holder)));
      case WorkEvent.OperationIndeterminate(_, var operation, var attempt) ->
          log(
              event,
              String.format(
                  Locale.ROOT,
                  "operation INDETERMINATE: %s, attempt %d; resolve it with ResolveOperation",
                  quote(operation),
                  attempt));
    }
  }

  private void log(WorkEvent event, String line) {
    var window = windows.computeIfAbsent(event.getClass(), _ -> new Window());
    var suppressed = window.take(nanoTime.getAsLong());
    if (suppressed < 0) {
      return;
    }
    if (suppressed > 0) {
      LOG.warn("rate limit: suppressed {} log lines like the next one", suppressed);
    }
    LOG.warn("{}, workspace {}", line, event.workspace().name());
  }

  /** The rate limit of one kind of event. */
  private static final class Window {
    private long endNanos;
    private int lines;
    private int suppressed;

    /** Returns the number of lines suppressed before this one, or -1 to suppress this one. */
    synchronized int take(long now) {
      if (lines == 0 || now - endNanos >= 0) {
        endNanos = now + WINDOW_NANOS;
        lines = 0;
      }
      if (lines == LINES) {
        suppressed++;
        return -1;
      }
      lines++;
      var before = suppressed;
      suppressed = 0;
      return before;
    }
  }
}
