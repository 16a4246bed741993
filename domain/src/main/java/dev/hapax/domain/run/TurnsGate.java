package dev.hapax.domain.run;

import java.util.concurrent.CompletableFuture;

/** Keeps definitions with times out of the database while servers that ignore them work. */
@FunctionalInterface
public interface TurnsGate {
  /** The gate of a ledger on which no other server works. */
  TurnsGate OPEN = () -> CompletableFuture.completedFuture(true);

  /**
   * Returns whether they may be registered. From the first time on, servers that do not know them
   * cannot start.
   */
  CompletableFuture<Boolean> open();
}
