package dev.hapax.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The last 10,000 of something. */
final class Recent {

  private static final int KEPT = 10_000;

  private Recent() {}

  /** Returns a set that forgets the oldest. Thread-safe. */
  static Set<String> set() {
    return Collections.synchronizedSet(
        Collections.newSetFromMap(
            new LinkedHashMap<>() {
              @Override
              protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > KEPT;
              }
            }));
  }
}
