package dev.hapax.domain.run;

import java.util.concurrent.CompletableFuture;

/**
 * Keeps runs that wait in line, and starts that take the key of a failed run, out of the database
 * while servers work that cannot read the first and would retry the second.
 */
@FunctionalInterface
public interface TurnsGate {
  /** The gate of a ledger on which no other server works. */
  TurnsGate OPEN = () -> CompletableFuture.completedFuture(true);

  /**
   * Returns whether such starts may be decided. From the first time on, servers that do not know
   * them cannot start.
   */
  CompletableFuture<Boolean> open();
}
