package dev.hapax.application.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.ForgetOperation;
import dev.hapax.domain.operation.OperationReads;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Proposes released operations that are forgotten for removal, a bounded number at a time. */
public final class OperationSweep {
  private static final int AT_MOST = 500;
  private final OperationReads reads;
  private final Ledger ledger;

  public OperationSweep(OperationReads reads, Ledger ledger) {
    this.reads = reads;
    this.ledger = ledger;
  }

  /** One sweep; the future completes with how many were removed. */
  public CompletableFuture<Long> run() {
    return reads
        .forgotten(AT_MOST)
        .thenApply(ids -> ids.stream().map(ForgetOperation::new).map(ledger::submit).toList())
        .thenCompose(OperationSweep::countTrue);
  }

  private static CompletableFuture<Long> countTrue(List<CompletableFuture<Boolean>> removals) {
    return CompletableFuture.allOf(removals.toArray(CompletableFuture[]::new))
        .thenApply(_ -> removals.stream().filter(CompletableFuture::join).count());
  }
}
