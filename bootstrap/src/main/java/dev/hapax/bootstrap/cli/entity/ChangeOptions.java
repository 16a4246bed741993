package dev.hapax.bootstrap.cli.entity;

import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Option;

/** The options of a change of an entity: reason, expected version and idempotency key. */
final class ChangeOptions {
  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Reason, recorded in the history of the entity.")
  private String reason = "";

  @Option(
      names = "--expected-version",
      paramLabel = "N",
      description = "Fail unless the entity has this version. Default: any version")
  private long expectedVersion;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description =
          "Idempotency key of the change, to repeat it after a lost answer. Default: a new one")
  private Optional<String> requestId = Optional.empty();

  String reason() {
    return reason;
  }

  long expectedVersion() {
    return expectedVersion;
  }

  /** Returns the value of {@code --request-id}, or a new one each time. */
  String requestId() {
    return requestId.orElseGet(() -> UUID.randomUUID().toString());
  }
}
