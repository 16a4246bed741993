package dev.hapax.client;

/**
 * The thread that runs the work: interrupted when the claim is lost, but only as long as it does.
 */
final class WorkingThread {

  private final Thread thread = Thread.currentThread();
  private boolean working = true;
  private boolean interrupted;

  WorkingThread(RunningOperation operation) {
    operation.onLost(this::interrupt);
  }

  private synchronized void interrupt() {
    if (working) {
      interrupted = true;
      thread.interrupt();
    }
  }

  synchronized void ended() {
    working = false;
    if (interrupted) {
      // it was ours: what the caller does next is not to be interrupted
      Thread.interrupted();
    }
  }
}
