package dev.hapax.grpc.limit;

/**
 * The most that one caller may do in a second, and hold open.
 *
 * @param callsPerWorkspace calls in a second; 0 = no limit
 * @param callsPerPrincipal calls in a second; 0 = no limit
 * @param watchesPerWorkspace open WatchRun streams
 * @param watchesPerPrincipal open WatchRun streams
 */
public record CallRates(
    int callsPerWorkspace,
    int callsPerPrincipal,
    int watchesPerWorkspace,
    int watchesPerPrincipal) {
  /** No limit of calls, and watches as many as fit into memory. */
  public static final CallRates DEFAULT = new CallRates(0, 0, 5_000, 5_000);

  public CallRates {
    if (callsPerWorkspace < 0 || callsPerPrincipal < 0) {
      throw new IllegalArgumentException(
          "calls per second must not be negative (was %d and %d)"
              .formatted(callsPerWorkspace, callsPerPrincipal));
    }
    if (watchesPerWorkspace < 1 || watchesPerPrincipal < 1) {
      throw new IllegalArgumentException(
          "watches must be at least 1 (was %d and %d)"
              .formatted(watchesPerWorkspace, watchesPerPrincipal));
    }
  }
}
