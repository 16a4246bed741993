package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.RunStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A run, as it was when Hapax sent it.
 *
 * @param message as Hapax sent it
 */
public record Run(dev.hapax.v1.Run message) {

  /** Its id. */
  public String id() {
    return message.getId();
  }

  /** The name of its definition. */
  public String definition() {
    return message.getDefinition();
  }

  /** The version of its definition. */
  public String definitionVersion() {
    return message.getDefinitionVersion();
  }

  /** Its status; UNRECOGNIZED if Hapax is newer than this client. */
  public RunStatus status() {
    return message.getStatus();
  }

  /** Whether it is COMPLETED, FAILED or CANCELLED. */
  public boolean hasEnded() {
    return hasEnded(status());
  }

  static boolean hasEnded(RunStatus status) {
    return status == RunStatus.RUN_STATUS_COMPLETED
        || status == RunStatus.RUN_STATUS_FAILED
        || status == RunStatus.RUN_STATUS_CANCELLED;
  }

  /** Rises by one with each event. */
  public long version() {
    return message.getVersion();
  }

  /** The name of the step that it is at; empty after its end. */
  public String currentStep() {
    return message.getCurrentStep();
  }

  /** Why it failed. */
  public Optional<Failure> failure() {
    return message.hasFailure() ? Optional.of(new Failure(message.getFailure())) : Optional.empty();
  }

  /** The labels of its start. */
  public Map<String, String> labels() {
    return message.getLabelsMap();
  }

  /** The run that superseded it; empty if none did. */
  public String supersededBy() {
    return message.getSupersededBy();
  }

  /** When it was created. */
  public Instant createdAt() {
    return ProtoTimes.toJava(message.getCreatedAt());
  }

  /** When it ended. */
  public Optional<Instant> endedAt() {
    return message.hasEndedAt()
        ? Optional.of(ProtoTimes.toJava(message.getEndedAt()))
        : Optional.empty();
  }
}
