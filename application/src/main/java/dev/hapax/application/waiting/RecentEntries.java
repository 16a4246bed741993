package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Entries that are remembered for a time, by the age of their last change. When they weigh too much
 * together, the oldest are forgotten earlier.
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
   * Remembers nothing yet.
   *
   * @param nanoTime as {@link System#nanoTime}: a clock that is set would change the age
   */
  public RecentEntries(
      Duration kept, int maxWeight, ToIntFunction<V> weight, LongSupplier nanoTime) {
    this.kept = kept;
    this.maxWeight = maxWeight;
    this.weight = weight;
    this.nanoTime = nanoTime;
  }

  /** Remembers this value from now on, instead of an earlier one. */
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

  /** The values as they are now, the oldest first. */
  public synchronized Stream<V> values() {
    forgetOldest();
    return entries.values().stream().map(Entry::value).toList().stream();
  }

  /** What the entries weigh together. */
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
