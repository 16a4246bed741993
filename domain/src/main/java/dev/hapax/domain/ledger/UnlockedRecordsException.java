package dev.hapax.domain.ledger;

import java.util.Collection;
import java.util.Set;

/**
 * A command led to records that its batch has not locked. Only ledgers see this: they decide the
 * {@linkplain #widened widened} command in a later batch. It has no stack trace, since it is no
 * failure.
 */
public final class UnlockedRecordsException extends RuntimeException {
  private final transient Set<RecordKey<?>> keys;
  private final boolean shared;

  UnlockedRecordsException(Collection<? extends RecordKey<?>> keys, boolean shared) {
    super("not locked: " + keys, null, false, false);
    this.keys = Set.copyOf(keys);
    this.shared = shared;
  }

  /** The same command, which also names these records. */
  public <O> Command<O> widened(Command<O> command) {
    return new WidenedCommand<>(command, keys, shared ? keys : Set.of());
  }
}
