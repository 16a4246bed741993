package dev.hapax.application.security;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The API keys whose use on this node is to be recorded: each at most once an hour. */
final class UsedApiKeys {
  private static final Duration PAUSE = Duration.ofHours(1);

  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private final Map<String, Instant> recorded = new ConcurrentHashMap<>();

  /** Marks a key; cheap, since each call does so. */
  void add(String id) {
    used.add(id);
  }

  /** Takes the keys to record now. */
  Set<String> take(Instant now) {
    var taken = Set.copyOf(used);
    used.removeAll(taken);
    return taken.stream()
        .filter(id -> !now.isBefore(recorded.getOrDefault(id, Instant.MIN)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Takes none of these keys again before an hour is over. */
  void recorded(Set<String> ids, Instant at) {
    ids.forEach(id -> recorded.put(id, at.plus(PAUSE)));
  }
}
