package dev.hapax.client.internal;

import dev.hapax.v1.Task;
import java.util.concurrent.Callable;

/** The traces of a process without OpenTelemetry. */
record NoTraces() implements Traces {

  @Override
  public String current() {
    return "";
  }

  @Override
  public Runnable wrap(Runnable work) {
    return work;
  }

  @Override
  public <T> T inSpan(Task task, Callable<T> work) throws Exception {
    return work.call();
  }
}
