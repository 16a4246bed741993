package dev.hapax.bootstrap.cli.run;

import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of a control command. */
final class ControlRunOptions {
  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded in the history of the run.")
  private String reason = "";

  @Option(
      names = "--expected-version",
      paramLabel = "VERSION",
      description = "Fail unless the run has this version; for a single run. Default: any version")
  private long expectedVersion;

  /** The idempotency key of a retry. */
  static final class RequestId {
    @Option(
        names = "--request-id",
        paramLabel = "ID",
        description =
            "Idempotency key of the retry, to repeat it after a lost answer. Default: a new one")
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
