package dev.hapax.bootstrap;

import dev.hapax.bootstrap.cli.HapaxCommand;

/** Where the process begins and ends. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(HapaxCommand.commandLine(System.getenv(), args).execute(args));
  }
}
