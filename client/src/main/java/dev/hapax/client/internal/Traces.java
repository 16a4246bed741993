package dev.hapax.client.internal;

import dev.hapax.v1.Task;
import java.util.concurrent.Callable;

/** The spans of this process, where it has OpenTelemetry. */
public interface Traces {

  /** The current span as a header {@code traceparent} of the W3C; empty without one. */
  String current();

  /** Work for another thread, in the current span. */
  Runnable wrap(Runnable work);

  /** Does the work of a task in a span of its own, which ends with it. */
  <T> T inSpan(Task task, Callable<T> work) throws Exception;
}
