package dev.hapax.client.internal;

import dev.hapax.v1.Task;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The traces of OpenTelemetry if it is on the class path. They cannot fail a call: with a version
 * that does not fit they are switched off, and another failure costs one span.
 */
public final class DetectedTraces implements Traces {

  private static final Logger log = LoggerFactory.getLogger(DetectedTraces.class);

  private static final String API = "io.opentelemetry.api.GlobalOpenTelemetry";

  /** The traces of this process. */
  public static final Traces INSTANCE = new DetectedTraces(detect());

  private volatile Traces traces;

  DetectedTraces(Traces traces) {
    this.traces = traces;
  }

  private static Traces detect() {
    try {
      Class.forName(API, false, DetectedTraces.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError none) {
      return new NoTraces();
    }
    try {
      return new OtelTraces();
    } catch (LinkageError broken) {
      warn(broken);
      return new NoTraces();
    }
  }

  private static void warn(LinkageError broken) {
    log.warn("this OpenTelemetry does not fit hapax-client, which sends no traces", broken);
  }

  private void failed(Throwable broken) {
    if (!(broken instanceof LinkageError linkage)) {
      log.warn("OpenTelemetry failed", broken);
      return;
    }
    synchronized (this) {
      if (traces instanceof NoTraces) {
        return;
      }
      traces = new NoTraces();
    }
    warn(linkage);
  }

  @Override
  public String current() {
    try {
      return traces.current();
    } catch (LinkageError | RuntimeException broken) {
      failed(broken);
      return "";
    }
  }

  @Override
  public Runnable wrap(Runnable work) {
    try {
      return traces.wrap(work);
    } catch (LinkageError | RuntimeException broken) {
      failed(broken);
      return work;
    }
  }

  @Override
  public <T> T inSpan(Task task, Callable<T> work) throws Exception {
    SingleCall<T> call = new SingleCall<>(work);
    try {
      return traces.inSpan(task, call);
    } catch (LinkageError | RuntimeException thrown) {
      if (!thrown.equals(call.thrown)) {
        failed(thrown);
      }
      return call.outcome();
    }
  }

  /** Work that is done once, whether or not its span can be started and ended. */
  private static final class SingleCall<T> implements Callable<T> {
    private final Callable<T> work;
    private boolean called;
    private @Nullable T result;
    private @Nullable Throwable thrown;

    SingleCall(Callable<T> work) {
      this.work = work;
    }

    @Override
    public T call() throws Exception {
      called = true;
      try {
        T value = work.call();
        result = value;
        return value;
      } catch (Throwable failure) {
        thrown = failure;
        throw failure;
      }
    }

    T outcome() throws Exception {
      if (!called) {
        return work.call();
      }
      if (thrown instanceof Exception exception) {
        throw exception;
      }
      if (thrown instanceof Error error) {
        throw error;
      }
      return Objects.requireNonNull(result);
    }
  }
}
