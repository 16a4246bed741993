package dev.hapax.domain.ledger;

import dev.hapax.domain.Workspace;

/**
 * The key of one record of a ledger.
 *
 * @param <R> the type of the record, an immutable value
 */
public interface RecordKey<R> {
  Workspace workspace();
}
