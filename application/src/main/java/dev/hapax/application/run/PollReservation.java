package dev.hapax.application.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.WaitingWorkers;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A place in a poll of this node, reserved for the task that one command may make ready. */
final class PollReservation implements WaitingWorkers {
  private final PolledQueues polledQueues;
  private final Workspace workspace;
  private final long nonce;
  private final long submittedNanos = System.nanoTime();

  // guarded by this
  private @Nullable Place place;
  private boolean isDecided;

  private record Place(String queue, TaskPoll poll) {}

  /**
   * Creates an empty reservation, before the command is submitted.
   *
   * @param nonce random, for the grant
   */
  PollReservation(PolledQueues polledQueues, Workspace workspace, long nonce) {
    this.polledQueues = polledQueues;
    this.workspace = workspace;
    this.nonce = nonce;
  }

  @Override
  public synchronized Optional<WaitingWorker> reserve(String queue, Instant batch) {
    if (place == null && !isDecided) {
      place =
          polledQueues
              .reserve(workspace, queue, batch, submittedNanos)
              .map(poll -> new Place(queue, poll))
              .orElse(null);
    }
    return Optional.ofNullable(place)
        .filter(reserved -> reserved.queue().equals(queue) && !reserved.poll().isAnswered())
        .map(reserved -> reserved.poll().request())
        .map(poll -> new WaitingWorker(poll.worker(), poll.attempt(), nonce, poll.principal()));
  }

  /** Passes the decided task to the poll, or frees the place. */
  void decided(Optional<Claimed> task) {
    Place reserved;
    synchronized (this) {
      isDecided = true;
      reserved = place;
      place = null;
    }
    if (reserved != null) {
      reserved.poll().decided(task);
    }
  }
}
