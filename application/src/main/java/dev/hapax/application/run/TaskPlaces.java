package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
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

  /**
   * Keeps one more, unless a task is granted already: that one would have to wait for it.
   *
   * @param waited how long the poll had waited when the command was submitted
   */
  boolean reserve(int atMost, Duration waited) {
    if (open >= atMost || !granted.isEmpty()) {
      return false;
    }
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
