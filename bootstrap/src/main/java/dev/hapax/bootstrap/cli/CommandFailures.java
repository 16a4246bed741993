package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.call.CallFailedException;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.startup.definition.InvalidDefinitionsException;
import dev.hapax.bootstrap.startup.lifecycle.InvalidLifecyclesException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** One clear message on standard error, and an exit code that tells whose fault it is. */
final class CommandFailures {
  private CommandFailures() {}

  static int wrongUsage(ParameterException e, String[] args) {
    var command = e.getCommandLine();
    var err = command.getErr();
    err.println("hapax: " + e.getMessage());
    UnmatchedArgumentException.printSuggestions(e, err);
    err.println(
        "Try `" + command.getCommandSpec().qualifiedName() + " --help` for what is possible.");
    return ExitCode.USAGE;
  }

  static int failed(Exception e, CommandLine command, ParseResult parsed) {
    command.getErr().println("hapax: " + message(e));
    if (Logging.isVerbose()) {
      e.printStackTrace(command.getErr());
    }
    return switch (e) {
      case ConfigurationException _, InvalidDefinitionsException _, InvalidLifecyclesException _ ->
          ExitCode.USAGE;
      case CallFailedException failed -> failed.exitCode();
      default -> ExitCode.SOFTWARE;
    };
  }

  private static String message(Exception e) {
    // what is not ours to word says at least what it is
    return e instanceof RuntimeException
        ? "internal error: " + e + " (--verbose shows where)"
        : Objects.requireNonNullElse(e.getMessage(), e.toString());
  }
}
