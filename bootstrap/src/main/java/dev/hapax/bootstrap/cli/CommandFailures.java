package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.call.CallFailedException;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.StartException;
import dev.hapax.bootstrap.startup.definition.InvalidDefinitionsException;
import dev.hapax.bootstrap.startup.lifecycle.InvalidLifecyclesException;
import dev.hapax.domain.security.ApiKey;
import java.util.Objects;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints failures of commands to standard error and maps them to exit codes. */
final class CommandFailures {
  /** The part behind the id of an API key: in a whole key the secret and the checksum. */
  private static final Pattern SECRET =
      Pattern.compile("(" + ApiKey.PREFIX + "[0-9A-Za-z]+_)[0-9A-Za-z_]+");

  private CommandFailures() {}

  static int wrongUsage(ParameterException e, String[] args) {
    var command = e.getCommandLine();
    var err = command.getErr();
    // an argument in the wrong place may be an API key
    err.println("hapax: " + mask(e));
    UnmatchedArgumentException.printSuggestions(e, err);
    err.println("Use `" + command.getCommandSpec().qualifiedName() + " --help` for usage.");
    return ExitCode.USAGE;
  }

  private static String mask(ParameterException e) {
    return SECRET.matcher(String.valueOf(e.getMessage())).replaceAll("$1***");
  }

  static int failed(Exception e, CommandLine command, ParseResult parsed) {
    command.getErr().println("hapax: " + message(e));
    if (Logging.isVerbose()) {
      e.printStackTrace(command.getErr());
    }
    return switch (e) {
      case ConfigurationException _, InvalidDefinitionsException _, InvalidLifecyclesException _ ->
          ExitCode.USAGE;
      case StartException failed -> failed.reason().exitCode();
      case CallFailedException failed -> failed.exitCode();
      default -> ExitCode.SOFTWARE;
    };
  }

  private static String message(Exception e) {
    // the message of an unexpected exception alone may be meaningless
    return e instanceof RuntimeException
        ? "internal error: " + e + " (use --verbose for the stack trace)"
        : Objects.requireNonNullElse(e.getMessage(), e.toString());
  }
}
