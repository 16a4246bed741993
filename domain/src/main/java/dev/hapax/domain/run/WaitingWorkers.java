package dev.hapax.domain.run;

import dev.hapax.domain.PrincipalName;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** The workers whose polls wait for a task. */
public interface WaitingWorkers {
  /**
   * Reserves a waiting poll of this queue for one task; empty = no poll waits. A repeated decision
   * gets the same reservation.
   *
   * @param batch the time of the decision, shared by all decisions of one batch
   */
  Optional<WaitingWorker> reserve(String queue, Instant batch);

  /**
   * A worker and its poll.
   *
   * @param poll hash of the attempt id of the poll, if it has one
   * @param nonce random, for the grant
   * @param principal of the poll
   */
  record WaitingWorker(String worker, Optional<UUID> poll, long nonce, PrincipalName principal) {}
}
