package dev.hapax.client.internal;

import java.util.function.Consumer;

/**
 * The thread that runs the work: interrupted when the claim is lost, but only as long as it does.
 */
public final class InterruptibleThread {

  private final Thread thread = Thread.currentThread();
  private boolean working = true;
  private boolean interrupted;

  /**
   * This thread, until {@link #ended}.
   *
   * @param onLost where to register for the loss of the claim
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

  public synchronized void ended() {
    working = false;
    if (interrupted) {
      // it was ours: what the caller does next is not to be interrupted
      Thread.interrupted();
    }
  }
}
