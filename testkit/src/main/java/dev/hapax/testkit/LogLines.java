package dev.hapax.testkit;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records the log of a class while open. */
public final class LogLines extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  public LogLines(Class<?> owner) {
    logger = Logger.getLogger(owner.getName());
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  public List<String> messages() {
    return records.stream().map(LogRecord::getMessage).toList();
  }

  public List<Optional<Throwable>> thrown() {
    return records.stream().map(r -> Optional.ofNullable(r.getThrown())).toList();
  }

  @Override
  public void publish(LogRecord line) {
    records.add(line);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
