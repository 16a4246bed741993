package dev.hapax.bootstrap.cli.run;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;

/** Reconnects to a server that becomes unavailable, such as for a restart. */
final class ReconnectPolicy {
  private static final Duration MAX_OUTAGE = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private boolean hasAnswered;
  private long lastAnswer;

  void answered() {
    hasAnswered = true;
    lastAnswer = System.nanoTime();
  }

  /** Waits before a retry, or throws the failure if a retry does not make sense. */
  void pauseOrThrow(StatusRuntimeException failure) throws InterruptedException {
    if (!hasAnswered
        || failure.getStatus().getCode() != Status.Code.UNAVAILABLE
        || System.nanoTime() - lastAnswer > MAX_OUTAGE.toNanos()) {
      throw failure;
    }
    Thread.sleep(PAUSE);
  }
}
