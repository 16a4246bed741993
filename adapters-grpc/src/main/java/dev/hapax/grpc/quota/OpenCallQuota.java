package dev.hapax.grpc.quota;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The open calls of one kind that each key may have: a workspace or a principal. */
final class OpenCallQuota {
  private final int max;
  private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

  OpenCallQuota(int max) {
    this.max = max;
  }

  /** Takes a place if there is one. */
  boolean take(String key) {
    var taken = new boolean[1];
    open.compute(
        key,
        (_, before) -> {
          var count = before == null ? 0 : before;
          taken[0] = count < max;
          return taken[0] ? Integer.valueOf(count + 1) : before;
        });
    return taken[0];
  }

  /** Frees a place; once for each that was taken. */
  void free(String key) {
    open.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
  }

  int size(String key) {
    return open.getOrDefault(key, 0);
  }
}
