package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The places of one poll that are kept for tasks being decided, and the tasks that came of earlier
 * ones. Guarded by the poll.
 */
final class TaskPlaces {
  private final List<Claimed> granted = new ArrayList<>();
  private int open;
  private Duration waited = Duration.ZERO;
  private Instant batch = Instant.MIN;

  /**
   * Keeps one more for the same batch. One of another batch would be decided later, and what is
   * granted would have to wait for it.
   *
   * @param waited how long the poll had waited when the command was submitted
   */
  boolean reserve(int atMost, Instant batch, Duration waited) {
    if (open >= atMost || !granted.isEmpty() || (open > 0 && !batch.equals(this.batch))) {
      return false;
    }
    this.batch = batch;
    this.waited = open == 0 || waited.compareTo(this.waited) < 0 ? waited : this.waited;
    open++;
    return true;
  }

  /** One of them is decided; empty = no task came of it. */
  void decided(Optional<Claimed> task) {
    open--;
    task.ifPresent(granted::add);
  }

  boolean areOpen() {
    return open > 0;
  }

  /** Takes out what was granted by now. */
  Handout take() {
    var handout = new Handout(granted, waited);
    granted.clear();
    return handout;
  }
}
