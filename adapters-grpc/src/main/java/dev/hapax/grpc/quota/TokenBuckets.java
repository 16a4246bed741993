package dev.hapax.grpc.quota;

import dev.hapax.grpc.quota.TokenBucket.Rate;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket for each key. Full buckets are forgotten, since a new one is full too; so there
 * are at most as many as keys that took a token within the time of a refill.
 *
 * @param <K> who takes tokens
 */
final class TokenBuckets<K> {
  /** Above this number full buckets are searched for. */
  private static final int MANY = 10_000;

  private final Rate rate;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<K, TokenBucket> buckets = new ConcurrentHashMap<>();
  private final AtomicBoolean isTidying = new AtomicBoolean();
  private volatile int tidyAbove = MANY;

  TokenBuckets(Rate rate, LongSupplier nanoTime) {
    this.rate = rate;
    this.nanoTime = nanoTime;
  }

  /** Takes tokens if the key has them; otherwise takes none. */
  boolean take(K key, int tokens) {
    return take(key, tokens, 0);
  }

  /** Takes tokens if the key has them, or will owe no more than a full bucket holds. */
  boolean takeOnCredit(K key, int tokens) {
    return take(key, tokens, rate.burst());
  }

  private boolean take(K key, int tokens, double credit) {
    var now = nanoTime.getAsLong();
    var taken = new AtomicBoolean();
    buckets.compute(
        key,
        (_, before) -> {
          var bucket = current(before, now);
          // a caller that wants more than a bucket can hold would never get it
          taken.setPlain(bucket.has(Math.min(tokens, rate.burst()) - credit));
          return taken.getPlain() ? bucket.take(tokens) : bucket;
        });
    tidy(now);
    return taken.getPlain();
  }

  /** The time until the key has as many tokens. */
  Duration until(K key, int tokens) {
    return until(key, tokens, 0);
  }

  /** The time until the key may take as many tokens on credit. */
  Duration untilCredit(K key, int tokens) {
    return until(key, tokens, rate.burst());
  }

  private Duration until(K key, int tokens, double credit) {
    var now = nanoTime.getAsLong();
    return current(buckets.get(key), now).until(Math.min(tokens, rate.burst()) - credit, rate);
  }

  private TokenBucket current(@Nullable TokenBucket before, long now) {
    return before == null ? TokenBucket.full(rate, now) : before.at(rate, now);
  }

  private void tidy(long now) {
    if (buckets.size() > tidyAbove && isTidying.compareAndSet(false, true)) {
      buckets.values().removeIf(bucket -> bucket.at(rate, now).isFull(rate));
      // a search that finds nothing is not repeated for each call
      tidyAbove = Math.max(MANY, 2 * buckets.size());
      isTidying.set(false);
    }
  }

  int size() {
    return buckets.size();
  }
}
