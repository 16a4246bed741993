package dev.hapax.bench;

import picocli.CommandLine;

/** Where the bench and the processes of its peers begin. */
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] args) {
    // libraries leave threads behind that would keep the process
    System.exit(
        new CommandLine(new PeersCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(args));
  }
}
