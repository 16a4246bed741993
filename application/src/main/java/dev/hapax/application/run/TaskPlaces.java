package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The places of one poll: kept for tasks that are being decided, for tasks that the poll claims,
 * and the tasks that came of either. Guarded by the poll.
 */
final class TaskPlaces {
  private final List<Claimed> granted = new ArrayList<>();
  private int reserved;
  private int claimed;
  private Duration waited = Duration.ZERO;
  private Instant batch = Instant.MIN;

  /**
   * Keeps one more for the same batch. One of another batch would be decided later, and what is
   * granted would have to wait for it. While the poll claims, it waits anyway.
   *
   * @param waited how long the poll had waited when the command was submitted
   */
  boolean reserve(int atMost, Instant batch, Duration waited) {
    if (reserved + claimed >= atMost
        || !granted.isEmpty()
        || (reserved > 0 && claimed == 0 && !batch.equals(this.batch))) {
      return false;
    }
    this.batch = batch;
    askedAfter(waited);
    reserved++;
    return true;
  }

  /** Takes places for tasks that the poll claims by itself. */
  void claim(int tasks, Duration waited) {
    askedAfter(waited);
    claimed = tasks;
  }

  /** Callers count a lease from when they sent: the earliest request of a task is what is safe. */
  private void askedAfter(Duration waited) {
    this.waited = !areOpen() || waited.compareTo(this.waited) < 0 ? waited : this.waited;
  }

  /** One that was kept is decided; empty = no task came of it. */
  void decided(Optional<Claimed> task) {
    reserved--;
    task.ifPresent(granted::add);
  }

  /** The claims are decided. */
  void claimed(List<Claimed> tasks) {
    claimed = 0;
    granted.addAll(tasks);
  }

  boolean areClaimed() {
    return claimed > 0;
  }

  boolean haveGranted() {
    return !granted.isEmpty();
  }

  boolean areOpen() {
    return reserved > 0 || claimed > 0;
  }

  /** Takes out what was granted by now. */
  GrantedTasks take() {
    var handout = new GrantedTasks(granted, waited);
    granted.clear();
    return handout;
  }
}
