package dev.hapax.bootstrap.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * SIGTERM and SIGINT as something to wait for. The main thread stops the server and names the exit
 * code, where Java alone would leave with 143 and without waiting.
 */
public final class Termination {
  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile int exitCode;

  private Termination() {}

  /**
   * Listens from now on.
   *
   * @param patience how long a stop may take, all in all
   */
  public static Termination listen(Duration patience) {
    var termination = new Termination();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> termination.stop(patience), "termination"));
    return termination;
  }

  private void stop(Duration patience) {
    if (finished.getCount() == 0) {
      // nobody sent a signal: the process ends by itself, with a code of its own
      return;
    }
    requested.countDown();
    try {
      if (!finished.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
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

  /** Everything is stopped: the process may end, with this code. */
  public void finish(int code) {
    exitCode = code;
    finished.countDown();
  }
}
