package dev.hapax.testkit.server;

import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskClaim;

/** A reason why a run will progress without advancing the clock. */
sealed interface PendingWork {

  /** A worker holds the current step. */
  record Held(TaskClaim claim, String worker) implements PendingWork {
    @Override
    public String toString() {
      return claim.run() + " is held by worker " + worker;
    }
  }

  /**
   * The current step is ready in a queue.
   *
   * @param polled whether a worker polls the queue now
   */
  record Offered(RunId run, RunReads.Queue queue, boolean polled) implements PendingWork {
    @Override
    public String toString() {
      return run + " is ready in queue " + queue.name();
    }
  }

  /** Hapax itself has to decide, which takes no time. */
  record Undecided(RunId run) implements PendingWork {
    @Override
    public String toString() {
      return run + " is due";
    }
  }
}
