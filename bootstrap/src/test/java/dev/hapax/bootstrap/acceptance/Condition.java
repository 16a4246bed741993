package dev.hapax.bootstrap.acceptance;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what must come to be, and fails if it does not. */
public final class Condition {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** For work of hundreds of calls. */
  static final Duration MUCH_WORK = Duration.ofMinutes(2);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Condition() {}

  public static void await(String what, BooleanSupplier holds) {
    await(what, PATIENCE, holds);
  }

  /**
   * Tries something that has a limit of time, at most three times: a machine that stands still for
   * a moment spoils one try, and a server that is too slow all of them.
   */
  static void holdsInOneOfThree(String what, BooleanSupplier holds) {
    for (var tries = 1; !holds.getAsBoolean(); tries++) {
      if (tries == 3) {
        throw new AssertionError("three times this did not come true: " + what);
      }
    }
  }

  public static void await(String what, Duration patience, BooleanSupplier holds) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("within %s this did not come true: %s".formatted(patience, what));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
