package dev.hapax.grpc.quota;

import java.util.Locale;

/**
 * The most that one caller may do in a second, and hold open.
 *
 * @param callsPerWorkspace calls in a second; 0 = no limit
 * @param callsPerPrincipal calls in a second; 0 = no limit
 * @param watchesPerWorkspace open WatchRun streams
 * @param watchesPerPrincipal open WatchRun streams
 * @param waitsPerPrincipal open calls that wait, such as long polls, also on streams
 */
public record CallerLimits(
    int callsPerWorkspace,
    int callsPerPrincipal,
    int watchesPerWorkspace,
    int watchesPerPrincipal,
    int waitsPerPrincipal) {
  /** No limit of calls, and as many open ones as fit into memory. */
  public static final CallerLimits DEFAULT = new CallerLimits(0, 0, 5_000, 5_000, 100_000);

  public CallerLimits {
    if (callsPerWorkspace < 0 || callsPerPrincipal < 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "calls per second must not be negative (was %d and %d)",
              callsPerWorkspace,
              callsPerPrincipal));
    }
    if (watchesPerWorkspace < 1 || watchesPerPrincipal < 1 || waitsPerPrincipal < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "watches and waits must be at least 1 (was %d, %d and %d)",
              watchesPerWorkspace,
              watchesPerPrincipal,
              waitsPerPrincipal));
    }
  }
}
