package dev.hapax.bootstrap.cli.run;

import java.util.Optional;
import picocli.CommandLine.Option;

/** What goes with a change by hand. */
final class ControlOptions {
  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the history.")
  private String reason = "";

  @Option(
      names = "--expected-version",
      paramLabel = "VERSION",
      description = "Only if the run, a single one, has this version. Default: whichever it has")
  private long expectedVersion;

  /** What a retry has beside. */
  static final class RequestId {
    @Option(
        names = "--request-id",
        paramLabel = "ID",
        description = "Repeats an earlier retry whose answer was lost. Default: a new one")
    private Optional<String> id = Optional.empty();

    Optional<String> id() {
      return id;
    }
  }

  String reason() {
    return reason;
  }

  long expectedVersion() {
    return expectedVersion;
  }
}
