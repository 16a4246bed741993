package dev.hapax.postgres.ledger;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Answers the batches of one committer in the order of their commits: on another thread, while the
 * next batch is under way, unless that gains nothing. A few answers take less time than the wake-up
 * of a thread, and where several committers work, no core is idle.
 */
final class AnswerLane {
  private static final int FEW = 4;

  private final Executor thread;
  private final BooleanSupplier isAlone;
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * Answers on this thread.
   *
   * @param thread other lanes may use it, too
   * @param isAlone whether one committer takes all commands
   */
  AnswerLane(Executor thread, BooleanSupplier isAlone) {
    this.thread = thread;
    this.isAlone = isAlone;
  }

  /** Runs the answers of so many commands now or later, after those before. */
  void answer(int commands, Runnable answers) {
    var isWorthwhile = commands > FEW && isAlone.getAsBoolean();
    if (!isWorthwhile && waiting.get() == 0) {
      answers.run();
      return;
    }
    waiting.incrementAndGet();
    thread.execute(
        () -> {
          try {
            answers.run();
          } finally {
            waiting.decrementAndGet();
          }
        });
  }
}
