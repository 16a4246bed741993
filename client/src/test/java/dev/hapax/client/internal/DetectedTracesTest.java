package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.v1.Task;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DetectedTracesTest {

  private static final Task TASK = Task.getDefaultInstance();

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(DetectedTraces.class);
  private final AtomicInteger work = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
  }

  /** Traces that throw {@code broken} before and, if it comes to that, after the work. */
  private final class Broken implements Traces {
    private final boolean afterWork;

    Broken(boolean afterWork) {
      this.afterWork = afterWork;
    }

    @Override
    public String current() {
      asked.incrementAndGet();
      throw new NoSuchMethodError("Span.current");
    }

    @Override
    public Runnable wrap(Runnable unused) {
      asked.incrementAndGet();
      throw new NoSuchMethodError("Context.current");
    }

    @Override
    public <T> T inSpan(Task task, Callable<T> unused) throws Exception {
      asked.incrementAndGet();
      if (afterWork) {
        unused.call();
      }
      throw new NoSuchMethodError("GlobalOpenTelemetry.get");
    }
  }

  @Test
  @DisplayName(
      "given an OpenTelemetry without a method, when a task runs, then it completes, with one "
          + "warning [clients-L2]")
  void withoutMethod() throws Exception {
    for (boolean afterWork : new boolean[] {false, true}) {
      DetectedTraces traces = new DetectedTraces(new Broken(afterWork));
      work.set(0);
      asked.set(0);
      log.list.clear();

      assertThat(traces.inSpan(TASK, work::incrementAndGet)).isEqualTo(1);
      assertThat(traces.inSpan(TASK, work::incrementAndGet)).isEqualTo(2);

      assertThat(work).hasValue(2);
      assertThat(asked).hasValue(1);
      assertThat(log.list)
          .singleElement()
          .extracting(ILoggingEvent::getFormattedMessage)
          .asString()
          .contains("OpenTelemetry does not fit");
    }
  }

  @Test
  @DisplayName("given an OpenTelemetry without a method, when a call is sent, then it has no span")
  void calls() {
    assertThat(new DetectedTraces(new Broken(false)).current()).isEmpty();

    new DetectedTraces(new Broken(false)).wrap(work::incrementAndGet).run();
    assertThat(work).hasValue(1);
  }

  @Test
  @DisplayName("given work that fails, when its span breaks, then the failure is that of the work")
  void failures() {
    DetectedTraces broken = new DetectedTraces(new Broken(true));
    assertThatThrownBy(
            () ->
                broken.inSpan(
                    TASK,
                    () -> {
                      throw new IOException("of the work");
                    }))
        .isInstanceOf(IOException.class);

    // which is no failure of OpenTelemetry
    DetectedTraces traces = new DetectedTraces(new OtelTraces());
    log.list.clear();
    NoSuchMethodError own = new NoSuchMethodError("of the work");
    assertThatThrownBy(
            () ->
                traces.inSpan(
                    TASK,
                    () -> {
                      throw own;
                    }))
        .isSameAs(own);
    assertThat(log.list).isEmpty();
  }

  /** The classes of the client, without OpenTelemetry. */
  private static final class WithoutOpenTelemetry extends ClassLoader {

    WithoutOpenTelemetry() {
      super(DetectedTracesTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("io.opentelemetry.")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("dev.hapax.client.internal.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (var bytes = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (bytes == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] type = bytes.readAllBytes();
        return defineClass(name, type, 0, type.length);
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
  }

  @Test
  @DisplayName(
      "given no OpenTelemetry, when a task runs, then it completes without a warning [clients-L2]")
  void absent() throws Exception {
    Class<?> type = Class.forName(DetectedTraces.class.getName(), true, new WithoutOpenTelemetry());
    Object traces = type.getField("INSTANCE").get(null);
    Method inSpan = type.getMethod("inSpan", Task.class, Callable.class);

    assertThat(type).isNotSameAs(DetectedTraces.class);
    Callable<Integer> counted = work::incrementAndGet;
    assertThat(inSpan.invoke(traces, TASK, counted)).isEqualTo(1);
    assertThat(type.getMethod("current").invoke(traces)).isEqualTo("");
    assertThat(log.list).isEmpty();
  }
}
