package dev.hapax.postgres.ledger;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Answers the batches of one committer in the order of their commits: on another thread, while the
 * next batch is under way, unless that gains nothing. A few answers take less time than the wake-up
 * of a thread, and where several committers work, no core is idle.
 */
final class AnswerLane {
  private static final int FEW = 4;

  /** With more batches the committer waits, as it does for its own answers. */
  static final int MAX_BATCHES = 64;

  private final Executor thread;
  private final BooleanSupplier isAlone;
  private final Semaphore places = new Semaphore(MAX_BATCHES);

  /**
   * Begins with no answers.
   *
   * @param thread runs one task after the other; other lanes may use it, too
   * @param isAlone whether one committer takes all commands
   */
  AnswerLane(Executor thread, BooleanSupplier isAlone) {
    this.thread = thread;
    this.isAlone = isAlone;
  }

  /** Runs the answers of so many commands now or later, after those before. */
  void answer(int commands, Runnable answers) {
    var isWorthwhile = commands > FEW && isAlone.getAsBoolean();
    if (!isWorthwhile && places.availablePermits() == MAX_BATCHES) {
      answers.run();
      return;
    }
    places.acquireUninterruptibly();
    try {
      thread.execute(() -> run(answers));
    } catch (RejectedExecutionException _) {
      // the ledger is closed, but these commands are committed
      run(answers);
    }
  }

  private void run(Runnable answers) {
    try {
      answers.run();
    } finally {
      places.release();
    }
  }
}
