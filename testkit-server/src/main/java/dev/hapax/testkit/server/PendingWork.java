package dev.hapax.testkit.server;

import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskClaim;

/** Why a run will go on without the clock being moved. */
sealed interface PendingWork {

  /** A worker is at its step. */
  record Held(TaskClaim claim, String worker) implements PendingWork {}

  /**
   * Its step lies in a queue.
   *
   * @param polled whether a worker asks for it right now
   */
  record Offered(RunId run, RunReads.Queue queue, boolean polled) implements PendingWork {}

  /** It is for Hapax to decide, which takes no time. */
  record Undecided(RunId run) implements PendingWork {}
}
