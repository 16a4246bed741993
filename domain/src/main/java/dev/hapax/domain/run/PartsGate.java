package dev.hapax.domain.run;

import java.util.concurrent.CompletableFuture;

/** Keeps parts without an output out of the database while servers that would misread them work. */
@FunctionalInterface
public interface PartsGate {
  /** The gate of a ledger on which no other server works. */
  PartsGate OPEN = () -> CompletableFuture.completedFuture(true);

  /**
   * Returns whether such parts may be written. From the first time on, servers that do not know
   * them cannot start.
   */
  CompletableFuture<Boolean> open();
}
