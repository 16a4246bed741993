package dev.hapax.postgres.ledger;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Records as this node stored them last, so that a batch need not load them. One may be outdated,
 * or of a transaction that was rolled back: a batch names the version of the row when it writes or
 * {@linkplain RecordTable#hold holds} it, and is repeated without this memory if the row has
 * another one. Thread-safe.
 */
public final class RecordMemory<K, R> {
  static final int MAX_BYTES = 8 << 20;

  /** A larger record is loaded each time: it would take the place of many others. */
  static final int MAX_RECORD_BYTES = 64 << 10;

  /** Another node that changes the same records would fail one batch after the other. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<K, Remembered<R>> records = new LinkedHashMap<>();
  private long bytes;
  private long resumeNanos = System.nanoTime();

  /**
   * A record with the version of its row.
   *
   * @param size approximately, in bytes
   */
  record Remembered<R>(R record, RowVersion version, int size) {}

  /** Remembers a record, and forgets the oldest ones when there are too many bytes. */
  public synchronized void put(K key, R record, RowVersion version, int size) {
    if (size > MAX_RECORD_BYTES || System.nanoTime() - resumeNanos < 0) {
      return;
    }
    var _ = take(key);
    records.put(key, new Remembered<>(record, version, size));
    bytes += size;
    var oldest = records.values().iterator();
    while (bytes > MAX_BYTES) {
      bytes -= oldest.next().size();
      oldest.remove();
    }
  }

  /** Returns and forgets a record: a batch will change it, or it is outdated. */
  synchronized Optional<Remembered<R>> take(K key) {
    var found = Optional.ofNullable(records.remove(key));
    found.ifPresent(remembered -> bytes -= remembered.size());
    return found;
  }

  /** Forgets all records. */
  synchronized void clear() {
    records.clear();
    bytes = 0;
  }

  /** Forgets all records, and remembers none for a while. */
  synchronized void pause() {
    clear();
    resumeNanos = System.nanoTime() + PAUSE_NANOS;
  }
}
