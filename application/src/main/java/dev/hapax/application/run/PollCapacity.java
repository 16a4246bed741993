package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The places of one poll: reservations for tasks being decided, pending claims, and the tasks
 * granted so far. Guarded by the poll.
 */
final class PollCapacity {
  private final List<Claimed> granted = new ArrayList<>();
  private int reserved;
  private int claimed;
  private Duration waited = Duration.ZERO;
  private Instant batch = Instant.MIN;

  /**
   * Reserves one more place for the same batch. A reservation of another batch would be decided
   * later and delay the granted tasks, unless the poll waits for its claims anyway.
   *
   * @param waited the time that the poll had waited when the command was submitted
   */
  boolean reserve(int atMost, Instant batch, Duration waited) {
    if (reserved + claimed >= atMost
        || !granted.isEmpty()
        || (reserved > 0 && claimed == 0 && !batch.equals(this.batch))) {
      return false;
    }
    this.batch = batch;
    requestedAfter(waited);
    reserved++;
    return true;
  }

  /** Takes places for tasks that the poll claims itself. */
  void claim(int tasks, Duration waited) {
    requestedAfter(waited);
    claimed = tasks;
  }

  /**
   * Keeps the shortest wait: callers count a lease from when they sent the request, so the earliest
   * claim is safe.
   */
  private void requestedAfter(Duration waited) {
    this.waited = !areOpen() || waited.compareTo(this.waited) < 0 ? waited : this.waited;
  }

  /** Resolves one reservation; empty = no task. */
  void decided(Optional<Claimed> task) {
    reserved--;
    task.ifPresent(granted::add);
  }

  /** Resolves the claims. */
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

  /** Removes and returns the tasks granted so far. */
  GrantedTasks take() {
    var tasks = new GrantedTasks(granted, waited);
    granted.clear();
    return tasks;
  }
}
