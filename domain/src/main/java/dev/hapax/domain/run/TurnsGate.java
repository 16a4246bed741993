package dev.hapax.domain.run;

import java.util.concurrent.CompletableFuture;

/** Keeps runs that wait in line out of the database while servers work that cannot read them. */
@FunctionalInterface
public interface TurnsGate {
  /** The gate of a ledger on which no other server works. */
  TurnsGate OPEN = () -> CompletableFuture.completedFuture(true);

  /**
   * Returns whether such runs may be started. From the first time on, servers that do not know them
   * cannot start.
   */
  CompletableFuture<Boolean> open();
}
