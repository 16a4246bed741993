package dev.hapax.domain.ledger;

import dev.hapax.domain.Workspace;

/**
 * Names one record of a ledger.
 *
 * @param <R> what the record holds; an immutable value
 */
public interface RecordKey<R> {
  Workspace workspace();
}
