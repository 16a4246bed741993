package dev.hapax.bench;

import picocli.CommandLine;

/** The program behind {@code ./hapax bench}. */
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] args) {
    // libraries leave threads behind that would keep the process
    System.exit(new CommandLine(new BenchCommand()).execute(args));
  }
}
