package dev.hapax.domain.ledger;

import java.util.Optional;

/**
 * What one command sees and changes: the records it named, as its predecessors left them.
 *
 * <p>Only keys the command named may be used; anything else is a defect of the command.
 */
public interface World {
  <R> Optional<R> get(RecordKey<R> key);

  <R> void put(RecordKey<R> key, R record);

  void remove(RecordKey<?> key);
}
