package dev.hapax.bootstrap.cli.run;

import dev.hapax.client.Hapax;
import dev.hapax.client.Run;
import java.time.Duration;
import java.util.Optional;

/** Waits for the end of a run. */
final class RunEndWait {
  /** The longest outage of the server that a wait survives, such as a restart. */
  private static final Duration MAX_OUTAGE = Duration.ofMinutes(1);

  /** An outage counts from the start of one of these. */
  private static final Duration ONE_WAIT = Duration.ofSeconds(20);

  private RunEndWait() {}

  /** Returns a client that reconnects, for calls after the first one. */
  static Hapax reconnecting(Hapax hapax) {
    return hapax.callTimeout(MAX_OUTAGE);
  }

  /**
   * Returns the run at its end, or when the timeout is over.
   *
   * @param timeout empty = no limit
   */
  static Run end(Hapax hapax, String id, Optional<Duration> timeout) {
    long began = System.nanoTime();
    var run = hapax.runs().get(id);
    var runs = reconnecting(hapax).runs();
    while (!run.hasEnded()) {
      var left = timeout.map(time -> time.minusNanos(System.nanoTime() - began));
      if (left.filter(time -> !time.isPositive()).isPresent()) {
        return run;
      }
      var wait = left.filter(time -> time.compareTo(ONE_WAIT) < 0).orElse(ONE_WAIT);
      run = runs.await(id, wait);
    }
    return run;
  }
}
