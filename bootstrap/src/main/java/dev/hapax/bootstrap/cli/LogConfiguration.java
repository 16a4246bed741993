package dev.hapax.bootstrap.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import dev.hapax.bootstrap.config.PrintableText;
import java.util.List;
import org.slf4j.Logger;

/**
 * Configures logging to standard error, since standard output is for results. In code, because a
 * configuration file would be parsed at each start of a command.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class LogConfiguration extends ContextAwareBase implements Configurator {
  private static final String FILE_PROPERTY = "logback.configurationFile";
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z',UTC} %-5level %logger{0}: %msg%n";

  private static final List<String> SILENT =
      List.of(
          // errors of clients are in the responses to them
          "io.grpc.netty.shaded.io.grpc.netty.NettyServerStream",
          "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler",
          "io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport",
          "io.grpc.internal.SerializingExecutor",
          // the version of PostgreSQL is checked at startup; jOOQ only renders statements
          "org.jooq.impl.DefaultExecuteContext.logVersionSupport",
          // the server retries, or fails with the error of the database
          "org.flywaydb.core.internal.command.DbMigrate",
          // the command prints why its call failed; a server has it on
          Logging.CHANNEL);

  @Override
  public ExecutionStatus configure(LoggerContext loggers) {
    if (System.getProperty(FILE_PROPERTY) != null) {
      return ExecutionStatus.NEUTRAL;
    }
    // no status messages of logback itself
    loggers.getStatusManager().add(new NopStatusListener());
    var root = loggers.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(standardError(loggers));
    loggers.getLogger("dev.hapax").setLevel(Level.INFO);
    loggers.getLogger(Logging.AUDIT).setLevel(Level.INFO);
    // it warns of each connection of an outage with a stack trace
    loggers.getLogger("com.zaxxer.hikari.pool").setLevel(Level.ERROR);
    SILENT.forEach(name -> loggers.getLogger(name).setLevel(Level.OFF));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Lines in which values of callers hide nothing. */
  private static final class PrintableLayout extends PatternLayout {
    @Override
    public String doLayout(ILoggingEvent event) {
      return PrintableText.escape(super.doLayout(event));
    }
  }

  private static Appender<ILoggingEvent> standardError(LoggerContext loggers) {
    var lines = new PrintableLayout();
    lines.setContext(loggers);
    lines.setPattern(PATTERN);
    lines.start();
    var encoder = new LayoutWrappingEncoder<ILoggingEvent>();
    encoder.setContext(loggers);
    encoder.setLayout(lines);
    encoder.start();
    var appender = new ConsoleAppender<ILoggingEvent>();
    appender.setContext(loggers);
    appender.setName(Logging.STANDARD_ERROR);
    appender.setTarget(ConsoleTarget.SystemErr.getName());
    appender.setEncoder(encoder);
    appender.start();
    return appender;
  }
}
