package dev.hapax.bootstrap.cli.call;

import java.util.Map;

/** A command of a {@link CommandGroup}. */
@FunctionalInterface
public interface Subcommand {
  /**
   * Creates the command.
   *
   * @param environment variables with the defaults of options
   * @return a command line, or an object that picocli can read
   */
  Object in(Map<String, String> environment);
}
