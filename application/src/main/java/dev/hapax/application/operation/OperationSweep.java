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
 * Removes released operations whose time to live has ended. Works in small batches to keep the load
 * low, and decides each removal again. One sweep at a time.
 */
public final class OperationSweep {
  /** The largest number of removals in one sweep. */
  static final int AT_MOST = 500;

  /** Concurrent removals: fewer than a batch holds, so that each batch has room for callers. */
  static final int AT_ONCE = 100;

  private static final FailureLog REMOVALS =
      new FailureLog(OperationSweep.class, "removal of a released operation");

  private final OperationReads reads;
  private final Ledger ledger;

  /**
   * The start of the next sweep. A sweep from the beginning would pass the index entries of all
   * removed operations, which an old snapshot, such as a backup's, keeps alive.
   */
  private volatile Instant from = Instant.EPOCH;

  public OperationSweep(OperationReads reads, Ledger ledger) {
    this.reads = reads;
    this.ledger = ledger;
  }

  /**
   * The result of a sweep.
   *
   * @param removed the number of removed operations
   * @param complete false if more operations may be removable now
   */
  public record Swept(long removed, boolean complete) {}

  /** Runs one sweep, from where an incomplete one ended. */
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
    // a full page that expired at one time and stays would be found again forever
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
              // if all fail, the ledger is unavailable, and the rest would fail, too
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

  /** Counts the removals without the failed ones, which the next full round finds again. */
  private static long removed(List<CompletableFuture<Boolean>> removals) {
    return removals.stream()
        .filter(removal -> !hasFailed(removal))
        .filter(CompletableFuture::join)
        .count();
  }
}
