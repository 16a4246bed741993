package dev.hapax.domain.ledger;

import java.util.Optional;

/**
 * What one command sees and changes: the records it named, as its predecessors left them.
 *
 * <p>Only keys the command named may be used, and those of records that its batch {@link #holds};
 * anything else is a defect of the command, as is to change what it said it only reads.
 */
public interface World {
  /**
   * Whether the record exists and is locked, because this command named it or because another one
   * of its batch did. What a record leads to may be used at once then; if not, it has to be named.
   */
  boolean holds(RecordKey<?> key);

  <R> Optional<R> get(RecordKey<R> key);

  <R> void put(RecordKey<R> key, R record);

  void remove(RecordKey<?> key);
}
