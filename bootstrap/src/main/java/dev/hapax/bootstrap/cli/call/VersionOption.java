package dev.hapax.bootstrap.cli.call;

import picocli.CommandLine.Option;

/** Which version of a definition; and {@code --help}, which is not inherited beside it. */
public final class VersionOption {
  @Option(
      names = "--version",
      paramLabel = "VERSION",
      description = "Which version of it. Default: the one registered last")
  private String version = "";

  /** Acted on by picocli itself. */
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  void help(boolean asked) {}

  public String version() {
    return version;
  }
}
