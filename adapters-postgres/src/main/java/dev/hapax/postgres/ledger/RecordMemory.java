package dev.hapax.postgres.ledger;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jooq.Field;

/**
 * Records as this node stored them last, so that a batch need not load them. One may be outdated: a
 * batch {@linkplain RecordTable#hold holds} the row by its version, and is repeated without this
 * memory if the row has another one. Thread-safe.
 */
public final class RecordMemory<K, R> {
  static final int MAX_BYTES = 8 << 20;

  /** A larger record is loaded each time: it would take the place of many others. */
  static final int MAX_RECORD_BYTES = 64 << 10;

  /** Another node that changes the same records would fail one batch after the other. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Field<UUID> id;
  private final Function<K, UUID> uuid;
  private final ToIntFunction<R> size;
  private final Map<K, Remembered<R>> records = new LinkedHashMap<>();
  private long bytes;
  private int epoch;
  private long resumeNanos = System.nanoTime();

  /**
   * A record with the version of its row.
   *
   * @param size approximately, in bytes
   */
  record Remembered<R>(R record, RowVersion version, int size) {}

  /**
   * Remembers nothing yet.
   *
   * @param id the column that identifies the rows of a write
   * @param uuid the value of that column
   * @param size of a record, approximately, in bytes
   */
  public RecordMemory(Field<UUID> id, Function<K, UUID> uuid, ToIntFunction<R> size) {
    this.id = id;
    this.uuid = uuid;
    this.size = size;
  }

  /** Remembers these records, once the write returns the ids and versions of its rows. */
  public Pipeline.Rows reader(Map<K, R> written) {
    var keys = new HashMap<UUID, K>();
    written.keySet().forEach(key -> keys.put(uuid.apply(key), key));
    var begun = epoch();
    return row -> {
      var key = keys.get(row.getObject(id.getName(), UUID.class));
      var record = key == null ? null : written.get(key);
      if (key != null && record != null) {
        put(key, record, RowVersion.read(row), begun);
      }
    };
  }

  /** How often all records were forgotten. */
  synchronized int epoch() {
    return epoch;
  }

  /**
   * Remembers a record, and forgets the oldest ones when there are too many bytes.
   *
   * @param begun the epoch in which its write began; of an earlier one it is not remembered
   */
  void put(K key, R record, RowVersion version, int begun) {
    var remembered = new Remembered<>(record, version, size.applyAsInt(record));
    if (remembered.size() <= MAX_RECORD_BYTES) {
      put(key, remembered, begun);
    }
  }

  private synchronized void put(K key, Remembered<R> remembered, int begun) {
    if (begun != epoch || System.nanoTime() - resumeNanos < 0) {
      return;
    }
    var _ = take(key);
    records.put(key, remembered);
    bytes += remembered.size();
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
    epoch++;
  }

  /** Forgets all records, and remembers none for a while. */
  synchronized void pause() {
    clear();
    resumeNanos = System.nanoTime() + PAUSE_NANOS;
  }
}
