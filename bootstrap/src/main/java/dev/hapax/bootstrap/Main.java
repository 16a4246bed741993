package dev.hapax.bootstrap;

import dev.hapax.bootstrap.cli.HapaxCommand;

/** The entry point of the {@code hapax} program. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(HapaxCommand.commandLine(System.getenv(), args).execute(args));
  }
}
