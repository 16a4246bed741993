package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * A cache whose entries expire some time after their last change. The oldest entries expire earlier
 * if the total weight exceeds a limit.
 */
public final class RecentEntries<K, V> {
  private final Duration kept;
  private final int maxWeight;
  private final ToIntFunction<V> weight;
  private final LongSupplier nanoTime;

  // guarded by this; the oldest first
  private final Map<K, Entry<V>> entries = new LinkedHashMap<>();
  private int totalWeight;

  private record Entry<V>(V value, int weight, long nanos) {}

  /**
   * Creates an empty cache.
   *
   * @param nanoTime like {@link System#nanoTime}: setting a clock would change the age of entries
   */
  public RecentEntries(
      Duration kept, int maxWeight, ToIntFunction<V> weight, LongSupplier nanoTime) {
    this.kept = kept;
    this.maxWeight = maxWeight;
    this.weight = weight;
    this.nanoTime = nanoTime;
  }

  /** Stores a value, replacing an earlier one. */
  public synchronized void put(K key, V value) {
    remove(key);
    var entry = new Entry<>(value, weight.applyAsInt(value), nanoTime.getAsLong());
    entries.put(key, entry);
    totalWeight += entry.weight();
    forgetOldest();
  }

  public synchronized void remove(K key) {
    var entry = entries.remove(key);
    if (entry != null) {
      totalWeight -= entry.weight();
    }
  }

  public synchronized Optional<V> get(K key) {
    forgetOldest();
    return Optional.ofNullable(entries.get(key)).map(Entry::value);
  }

  /** Returns a snapshot of the values, the oldest first. */
  public synchronized Stream<V> values() {
    forgetOldest();
    return entries.values().stream().map(Entry::value).toList().stream();
  }

  /** The total weight of the entries. */
  public synchronized int weight() {
    return totalWeight;
  }

  private void forgetOldest() {
    var now = nanoTime.getAsLong();
    for (var oldest = entries.values().iterator(); oldest.hasNext(); ) {
      var entry = oldest.next();
      if (totalWeight <= maxWeight && now - entry.nanos() < kept.toNanos()) {
        return;
      }
      oldest.remove();
      totalWeight -= entry.weight();
    }
  }
}
