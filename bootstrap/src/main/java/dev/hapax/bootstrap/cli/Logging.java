package dev.hapax.bootstrap.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Controls the log level of a command. */
final class Logging {
  /** Logs the calls that operate, define or administer. */
  static final String AUDIT = "hapax.audit";

  /** The appender that {@link LogConfiguration} adds. */
  static final String STANDARD_ERROR = "standard-error";

  /** The client side of calls; of a server, those within the process. */
  static final String CHANNEL = "io.grpc.internal.ManagedChannelImpl";

  private static final String LOGGER = "dev.hapax";

  private Logging() {}

  /** Redirects java.util.logging, which gRPC uses, to SLF4J. */
  static void install() {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  /** Writes all lines from now on as JSON. Without effect if a file configures the log. */
  static void useJson() {
    var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    if (root.getAppender(STANDARD_ERROR) instanceof ConsoleAppender<ILoggingEvent> appender) {
      var encoder = new JsonLogEncoder();
      encoder.setContext(root.getLoggerContext());
      encoder.start();
      appender.setEncoder(encoder);
    }
  }

  /** Logs what fails in the channels of a server, which no command prints. */
  static void ofServer() {
    ((Logger) LoggerFactory.getLogger(CHANNEL)).setLevel(Level.WARN);
  }

  static void verbose() {
    logger().setLevel(Level.DEBUG);
  }

  /** Logs errors only, for commands that print their own progress. */
  static void silence() {
    logger().setLevel(Level.ERROR);
    ((Logger) LoggerFactory.getLogger(AUDIT)).setLevel(Level.OFF);
  }

  static boolean isVerbose() {
    return logger().isDebugEnabled();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(LOGGER);
  }
}
