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
  private final int most;
  private final ToIntFunction<V> weight;

  // guarded by this
  private final SequencedMap<K, V> known = new LinkedHashMap<>(16, 0.75f, true);
  private long kept;

  /**
   * Begins empty.
   *
   * @param most the largest weight of all values together
   */
  public WeightedCache(int most, ToIntFunction<V> weight) {
    this.most = most;
    this.weight = weight;
  }

  public synchronized Optional<V> find(K key) {
    return Optional.ofNullable(known.get(key));
  }

  public V keep(K key, V read) {
    var heavy = weight.applyAsInt(read);
    synchronized (this) {
      var before = known.put(key, read);
      kept += heavy - (before == null ? 0 : heavy);
      while (kept > most) {
        kept -= weight.applyAsInt(known.pollFirstEntry().getValue());
      }
    }
    return read;
  }
}
