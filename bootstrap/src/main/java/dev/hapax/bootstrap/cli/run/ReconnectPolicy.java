package dev.hapax.bootstrap.cli.run;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;

/** Bears with a server that has answered and then goes away, such as for a restart. */
final class ReconnectPolicy {
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private boolean hasAnswered;
  private long lastAnswer;

  void answered() {
    hasAnswered = true;
    lastAnswer = System.nanoTime();
  }

  /** Waits a little if trying again makes sense; throws the failure if not. */
  void orThrow(StatusRuntimeException failure) throws InterruptedException {
    if (!hasAnswered
        || failure.getStatus().getCode() != Status.Code.UNAVAILABLE
        || System.nanoTime() - lastAnswer > LONGEST.toNanos()) {
      throw failure;
    }
    Thread.sleep(PAUSE);
  }
}
