package dev.hapax.bootstrap.run;

import picocli.CommandLine.Option;

/** What goes with a change by hand. */
final class SteerOptions {
  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the history.")
  private String reason = "";

  @Option(
      names = "--expected-version",
      paramLabel = "VERSION",
      description = "Only if the run has this version. Default: whichever it has")
  private long expectedVersion;

  String reason() {
    return reason;
  }

  long expectedVersion() {
    return expectedVersion;
  }
}
