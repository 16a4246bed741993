package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.RunEventType;
import java.time.Instant;

/**
 * An event in the history of a run.
 *
 * @param message as Hapax sent it, with what belongs to the type
 */
public record RunEvent(dev.hapax.v1.RunEvent message) {

  /** The version of the run after it: 1, 2, 3 and so on. */
  public long version() {
    return message.getVersion();
  }

  /** When it happened. */
  public Instant at() {
    return ProtoTimes.toJava(message.getAt());
  }

  /** What happened; UNRECOGNIZED if Hapax is newer than this client. */
  public RunEventType type() {
    return message.getType();
  }

  /** The step to which it happened; empty if it happened to the run. */
  public String stepName() {
    return message.getStepName();
  }

  /** On whose behalf; empty if Hapax did it by itself. */
  public String actor() {
    return message.getActor();
  }
}
