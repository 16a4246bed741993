package dev.hapax.bootstrap.cli.entity;

import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Option;

/** Why an operator changes an entity, at which version, and which earlier call this repeats. */
final class ChangeOptions {
  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for the history of the entity.")
  private String reason = "";

  @Option(
      names = "--expected-version",
      paramLabel = "N",
      description = "Only if the entity has this version. Default: whichever it has")
  private long expectedVersion;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "Repeats an earlier call whose answer was lost. Default: a new one")
  private Optional<String> requestId = Optional.empty();

  String reason() {
    return reason;
  }

  long expectedVersion() {
    return expectedVersion;
  }

  /** Without {@code --request-id} a new one each time. */
  String requestId() {
    return requestId.orElseGet(() -> UUID.randomUUID().toString());
  }
}
