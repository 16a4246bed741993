package dev.hapax.bootstrap.cli.call;

import picocli.CommandLine.Option;

/**
 * The option for a version; declares {@code --help} again, since the option hides the inherited
 * one.
 */
public final class VersionOption {
  @Option(
      names = "--version",
      paramLabel = "VERSION",
      description = "Version of the definition. Default: the most recently registered")
  private String version = "";

  /** Handled by picocli. */
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  void help(boolean asked) {}

  public String version() {
    return version;
  }
}
