package dev.hapax.domain.run;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** Workers whose polls wait for a task. */
public interface WaitingWorkers {
  /**
   * Keeps a place in a poll of this queue for one task; empty if no poll waits. A decision that is
   * repeated gets the same place again.
   *
   * @param batch the time of the decision, which all decisions of one batch share
   */
  Optional<WaitingWorker> reserve(String queue, Instant batch);

  /**
   * A worker and its poll.
   *
   * @param poll which poll waits, condensed, if it said which one it is
   * @param nonce drawn for the grant
   */
  record WaitingWorker(String worker, Optional<UUID> poll, long nonce) {}
}
