package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.Error;
import java.time.Instant;
import java.util.Optional;

/**
 * A request that an application posted with its own transaction.
 *
 * @param message as Hapax sent it
 */
public record Intent(dev.hapax.v1.Intent message) {

  /** As the SQL function returned it. That of a start is the id of its run. */
  public String ticket() {
    return message.getTicket();
  }

  /** Whether a server has executed it, successfully or not. */
  public boolean isTaken() {
    return message.hasTakenAt();
  }

  /** When a server executed it. */
  public Optional<Instant> takenAt() {
    return isTaken() ? Optional.of(ProtoTimes.toJava(message.getTakenAt())) : Optional.empty();
  }

  /** Why it failed, as the call would have; it is not repeated. */
  public Optional<Error> error() {
    return message.hasError() ? Optional.of(message.getError()) : Optional.empty();
  }
}
