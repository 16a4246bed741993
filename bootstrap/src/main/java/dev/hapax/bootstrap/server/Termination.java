package dev.hapax.bootstrap.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for SIGTERM and SIGINT. The main thread stops the server and sets the exit code; without
 * this, the JVM exits with 143 immediately.
 */
public final class Termination {
  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile int exitCode;

  private Termination() {}

  /**
   * Installs the shutdown hook.
   *
   * @param timeout maximum duration of a stop
   */
  public static Termination listen(Duration timeout) {
    var termination = new Termination();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> termination.stop(timeout), "termination"));
    return termination;
  }

  private void stop(Duration timeout) {
    if (finished.getCount() == 0) {
      // no signal: the process exits by itself, with its own exit code
      return;
    }
    requested.countDown();
    try {
      if (!finished.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        exitCode = 1;
      }
    } catch (InterruptedException _) {
      exitCode = 1;
    }
    Runtime.getRuntime().halt(exitCode);
  }

  public void await() throws InterruptedException {
    requested.await();
  }

  public boolean isRequested() {
    return requested.getCount() == 0;
  }

  /** Lets the process exit with this code; called when everything is stopped. */
  public void finish(int code) {
    exitCode = code;
    finished.countDown();
  }
}
