package dev.hapax.client.internal;

import java.util.function.Consumer;

/** The thread of the work, interrupted when the claim is lost while the work runs. */
public final class InterruptibleThread {

  private final Thread thread = Thread.currentThread();
  private boolean working = true;
  private boolean interrupted;

  /**
   * The current thread, until {@link #ended}.
   *
   * @param onLost registers a listener for the loss of the claim
   */
  public InterruptibleThread(Consumer<Runnable> onLost) {
    onLost.accept(this::interrupt);
  }

  private synchronized void interrupt() {
    if (working) {
      interrupted = true;
      thread.interrupt();
    }
  }

  /** The work has ended. Returns whether it was interrupted. */
  public synchronized boolean ended() {
    working = false;
    if (interrupted) {
      // clears our own interrupt, so that it does not hit the caller
      Thread.interrupted();
    }
    return interrupted;
  }
}
