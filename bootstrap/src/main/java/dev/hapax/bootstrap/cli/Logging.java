package dev.hapax.bootstrap.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Controls the log level of a command. */
final class Logging {
  /** Logs the calls that operate, define or administer. */
  static final String AUDIT = "hapax.audit";

  private static final String LOGGER = "dev.hapax";

  private Logging() {}

  /** Redirects java.util.logging, which gRPC uses, to SLF4J. */
  static void install() {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
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
