package dev.hapax.application.intent;

import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import java.util.concurrent.CompletableFuture;

/** Takes an intent at once, because a command or a read waits for it. */
record PendingIntentTaker(IntentReads reads, IntentTaker taker) {
  /** Completes when the intent was taken, here or by another server. */
  CompletableFuture<?> take(RecordKey<?> pending) {
    return pending instanceof IntentId intent
        ? take(intent)
        : CompletableFuture.failedFuture(
            new LedgerException.Unavailable(pending + " is no intent"));
  }

  private CompletableFuture<Void> take(IntentId intent) {
    return reads
        .posted(intent)
        .thenCompose(
            posted ->
                posted
                    .map(found -> taker.take(found).<Void>thenApply(_ -> null))
                    .orElseGet(() -> requireTaken(intent)));
  }

  /**
   * An intent that is neither posted nor taken was removed by hand. One that failed stays pending,
   * so the record would be decided again and again.
   */
  private CompletableFuture<Void> requireTaken(IntentId intent) {
    return reads
        .find(intent)
        .thenAccept(
            found -> {
              if (found.isEmpty()) {
                throw new LedgerException.Unavailable(
                    "a record has the pending intent %s, which is not in the inbox"
                        .formatted(intent));
              }
              if (found.get().intent()
                  instanceof Intent.Taken(_, _, IntentOutcome.Failed failed, _)) {
                throw new LedgerException.Unavailable(
                    "a record has the pending intent %s, which failed: %s %s"
                        .formatted(intent, failed.error(), failed.detail()));
              }
            });
  }
}
