package dev.hapax.domain.ledger;

import java.util.Optional;

/**
 * The records that one command reads and changes, as the previous commands of its batch left them.
 *
 * <p>A command may use its own keys and those of records that its batch {@link #holds}. Any other
 * key is a defect of the command, as is a change of a record that is in {@link Command#reads}.
 */
public interface World {
  /**
   * Whether the record exists and is locked by this command or another one of its batch. If not, a
   * command that finds a reference to it has to add its key.
   */
  boolean holds(RecordKey<?> key);

  <R> Optional<R> get(RecordKey<R> key);

  <R> void put(RecordKey<R> key, R record);

  void remove(RecordKey<?> key);
}
