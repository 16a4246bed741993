package dev.hapax.domain.ledger;

import java.util.Collection;
import java.util.Optional;

/**
 * The records that one command reads and changes, as the previous commands of its batch left them.
 *
 * <p>A record that the command did not name, because another record leads to it, has to be {@link
 * #lock locked} first. To use any other record is a defect of the command, as is to change what it
 * said it only reads.
 */
public interface BatchRecords {
  /**
   * Makes sure that the command may use these records. If its batch has not locked all of them, the
   * ledger rolls back what the command did so far, locks them as well, and decides it again.
   */
  void lock(Collection<? extends RecordKey<?>> keys);

  /** The same for records that the command only reads: others may read them at the same time. */
  void share(Collection<? extends RecordKey<?>> keys);

  <R> Optional<R> get(RecordKey<R> key);

  <R> void put(RecordKey<R> key, R record);

  void remove(RecordKey<?> key);
}
