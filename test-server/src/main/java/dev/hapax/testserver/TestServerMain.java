package dev.hapax.testserver;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The program behind {@code hapax test-server}. */
public final class TestServerMain {
  private TestServerMain() {}

  public static void main(String[] args) {
    var command = new CommandLine(new TestServerCommand());
    command.setExecutionExceptionHandler(
        (failure, line, _) -> {
          line.getErr().println("hapax: " + failure.getMessage());
          return ExitCode.SOFTWARE;
        });
    // threads of libraries must not keep the process
    System.exit(command.execute(args));
  }
}
