package dev.hapax.bench.peers;

import picocli.CommandLine;

/** The program behind {@code bench/run}, and behind the processes of its peers. */
public final class PeersMain {
  private PeersMain() {}

  public static void main(String[] args) {
    // libraries leave threads behind that would keep the process
    System.exit(
        new CommandLine(new PeersCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(args));
  }
}
