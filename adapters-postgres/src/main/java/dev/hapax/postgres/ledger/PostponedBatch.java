package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Writes of a batch that cannot run yet, such as rows of a partition that is still to be created.
 * The batch is rolled back, and the commands that touch these records wait without holding a lock.
 *
 * @param keys the records to write
 * @param until completes when they can be written; may never complete
 */
public record PostponedBatch(Set<RecordKey<?>> keys, CompletableFuture<Void> until) {
  public PostponedBatch {
    keys = Set.copyOf(keys);
  }
}
