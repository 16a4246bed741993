package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogConfigurationTest {
  @Test
  @DisplayName(
      "given a value that reorders or ends a line, then the text log shows it [security-N2]")
  void invisible() {
    var loggers = new LoggerContext();
    new LogConfiguration().configure(loggers);
    var root = loggers.getLogger(Logger.ROOT_LOGGER_NAME);
    var event =
        new LoggingEvent(
            "x",
            root,
            Level.WARN,
            "code {}",
            new IllegalStateException("b\u2028c"),
            new Object[] {"a\u202E"});
    assertThat(root.getAppender(Logging.STANDARD_ERROR))
        .isInstanceOfSatisfying(
            ConsoleAppender.class,
            appender ->
                assertThat(line(appender, event))
                    .contains("WARN  ROOT: code a\\u202e\n", "IllegalStateException: b\\u2028c\n"));
    loggers.stop();
  }

  @SuppressWarnings("unchecked") // it takes events of the log
  private static String line(ConsoleAppender<?> appender, ILoggingEvent event) {
    return new String(
        ((ConsoleAppender<ILoggingEvent>) appender).getEncoder().encode(event),
        StandardCharsets.UTF_8);
  }
}
