package dev.hapax.bootstrap.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Logs go to standard error, as LogConfiguration says; standard output is for results. */
final class Logging {
  private static final String OURS = "dev.hapax";

  private Logging() {}

  /** Sends what gRPC logs by way of the JDK the same way as everything else. */
  static void install() {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  static void verbose() {
    ours().setLevel(Level.DEBUG);
  }

  /** Only what is broken: for commands whose own words are to be read. */
  static void silence() {
    ours().setLevel(Level.ERROR);
  }

  static boolean isVerbose() {
    return ours().isDebugEnabled();
  }

  private static Logger ours() {
    return (Logger) LoggerFactory.getLogger(OURS);
  }
}
