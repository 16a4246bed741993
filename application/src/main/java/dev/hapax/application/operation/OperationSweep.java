package dev.hapax.application.operation;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.ForgetOperation;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.operation.OperationReads.Forgotten;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Removes released operations whose time to live is over, a bounded number at a time and few of
 * them at once, so that callers hardly notice. Each is decided anew. One sweep at a time.
 */
public final class OperationSweep {
  /** So many in one go. */
  static final int AT_MOST = 500;

  /** Less than a batch, so that callers find room in each. */
  static final int AT_ONCE = 100;

  private static final FailureLog REMOVALS =
      new FailureLog(OperationSweep.class, "removal of a released operation");

  private final OperationReads reads;
  private final Ledger ledger;

  /**
   * Where the next sweep goes on. From the beginning it would walk past all that was ever removed
   * while an old snapshot, such as a backup's, keeps the entries of the index.
   */
  private volatile Instant from = Instant.EPOCH;

  public OperationSweep(OperationReads reads, Ledger ledger) {
    this.reads = reads;
    this.ledger = ledger;
  }

  /**
   * What a sweep did.
   *
   * @param removed how many operations it removed
   * @param complete false if there may be more to remove now
   */
  public record Swept(long removed, boolean complete) {}

  /** One sweep, from where an incomplete one ended. */
  public CompletableFuture<Swept> run() {
    var begun = from;
    return reads
        .forgotten(begun, AT_MOST)
        .thenCompose(found -> remove(found, 0, 0).thenApply(removed -> end(begun, found, removed)))
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                from = Instant.EPOCH;
              }
            });
  }

  private Swept end(Instant begun, List<Forgotten> found, long removed) {
    // those that stay, and all expired at the same time, would be found again and again
    var complete =
        found.size() < AT_MOST || (removed == 0 && found.getLast().expiredAt().equals(begun));
    from = complete ? Instant.EPOCH : found.getLast().expiredAt();
    return new Swept(removed, complete);
  }

  private CompletableFuture<Long> remove(List<Forgotten> found, int done, long removed) {
    if (done == found.size()) {
      return CompletableFuture.completedFuture(removed);
    }
    var until = Math.min(found.size(), done + AT_ONCE);
    var removals =
        found.subList(done, until).stream()
            .map(forgotten -> ledger.submit(new ForgetOperation(forgotten.id())))
            .toList();
    return CompletableFuture.allOf(removals.toArray(CompletableFuture[]::new))
        .handle((_, failure) -> failure)
        .thenCompose(
            failure -> {
              // the ledger itself refuses: the rest would fail, too
              if (failure != null && removals.stream().allMatch(OperationSweep::hasFailed)) {
                return CompletableFuture.failedFuture(failure);
              }
              if (failure != null) {
                REMOVALS.failed(failure);
              }
              return remove(found, until, removed + removed(removals));
            });
  }

  private static boolean hasFailed(CompletableFuture<Boolean> removal) {
    return removal.isCompletedExceptionally();
  }

  /** Without those that failed: the next round from the beginning meets them again. */
  private static long removed(List<CompletableFuture<Boolean>> removals) {
    return removals.stream()
        .filter(removal -> !hasFailed(removal))
        .filter(CompletableFuture::join)
        .count();
  }
}
