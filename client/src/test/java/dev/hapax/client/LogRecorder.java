package dev.hapax.client;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The log of one class while a test runs, without its debug lines. */
public final class LogRecorder extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LogRecorder(Logger logger) {
    this.logger = logger;
  }

  public static LogRecorder of(Class<?> type) {
    LogRecorder recorder = new LogRecorder((Logger) LoggerFactory.getLogger(type));
    recorder.start();
    recorder.logger.addAppender(recorder);
    return recorder;
  }

  /** Such as {@code WARN text}. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.INFO)) {
      lines.add(event.getLevel() + " " + event.getFormattedMessage());
    }
  }

  @Override
  public void close() {
    logger.detachAppender(this);
  }
}
