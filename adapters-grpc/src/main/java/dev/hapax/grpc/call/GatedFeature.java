package dev.hapax.grpc.call;

import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Refuses calls that need a feature while servers that do not know it work on the database.
 *
 * @param gate whether it may be used
 * @param name of the feature, as the refusal says it
 */
public record GatedFeature(Supplier<CompletableFuture<Boolean>> gate, String name) {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

  /**
   * Calls the use case, once the gate is open if it needs the feature. Cancelling the future
   * cancels the use case.
   */
  public <O> CompletableFuture<O> call(boolean isNeeded, Supplier<CompletableFuture<O>> useCase) {
    return isNeeded
        ? CancellableFutures.then(
            gate.get(),
            isOpen ->
                isOpen
                    ? useCase.get()
                    : CompletableFuture.failedFuture(
                        new LedgerException.Unavailable(
                            "a server of an earlier version works on this database and does not know "
                                + name
                                + ": upgrade or stop it",
                            RETRY_AFTER)))
        : useCase.get();
  }
}
