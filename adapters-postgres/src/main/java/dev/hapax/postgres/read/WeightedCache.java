package dev.hapax.postgres.read;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.ToIntFunction;

/**
 * A cache of immutable values, bounded by their weight; evicts the least recently used.
 *
 * @param <K> the keys
 */
public final class WeightedCache<K, V> {
  private final int maxWeight;
  private final ToIntFunction<V> weight;

  // guarded by this
  private final SequencedMap<K, V> values = new LinkedHashMap<>(16, 0.75f, true);
  private long weightSum;

  /**
   * Begins empty.
   *
   * @param maxWeight the largest weight of all values together
   */
  public WeightedCache(int maxWeight, ToIntFunction<V> weight) {
    this.maxWeight = maxWeight;
    this.weight = weight;
  }

  public synchronized Optional<V> find(K key) {
    return Optional.ofNullable(values.get(key));
  }

  public V put(K key, V read) {
    var weightOfValue = weight.applyAsInt(read);
    synchronized (this) {
      var before = values.put(key, read);
      weightSum += weightOfValue - (before == null ? 0 : weightOfValue);
      while (weightSum > maxWeight) {
        weightSum -= weight.applyAsInt(values.pollFirstEntry().getValue());
      }
    }
    return read;
  }
}
