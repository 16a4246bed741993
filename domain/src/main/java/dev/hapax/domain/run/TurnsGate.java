package dev.hapax.domain.run;

import java.util.concurrent.CompletableFuture;

/**
 * Keeps runs that wait in line, starts that take the key of a failed run, and definitions with
 * times out of the database while servers work that do not know them.
 */
@FunctionalInterface
public interface TurnsGate {
  /** The gate of a ledger on which no other server works. */
  TurnsGate OPEN = () -> CompletableFuture.completedFuture(true);

  /**
   * Returns whether they may be stored. From the first time on, servers that do not know them
   * cannot start.
   */
  CompletableFuture<Boolean> open();
}
