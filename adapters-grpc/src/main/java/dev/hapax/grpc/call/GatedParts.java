package dev.hapax.grpc.call;

import dev.hapax.domain.run.PartsGate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Refuses calls that need parts while servers that do not know them work on the database.
 *
 * @param longestHold the longest pause before another attempt for which a worker waits in place
 */
public record GatedParts(PartsGate gate, Duration longestHold) {
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(5);

  /** Parts of a server whose clock is that of its workers. */
  public GatedParts(PartsGate gate) {
    this(gate, LONGEST_HOLD);
  }

  /** Calls the use case, once the gate is open if it needs parts. */
  public <O> CompletableFuture<O> call(boolean needsParts, Supplier<CompletableFuture<O>> useCase) {
    return new GatedFeature(gate::open, "parts of steps").call(needsParts, useCase);
  }
}
