package dev.hapax.domain.security;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The API keys that a server knows, at one revision. */
public final class ApiKeyRing {
  public static final ApiKeyRing EMPTY = new ApiKeyRing(0, List.of());

  /** Compared with the secret of an unknown id, so that its refusal takes as long. */
  private static final SecretHash UNKNOWN = SecretHash.of("");

  private final long revision;
  private final Map<String, StoredApiKey> keys = new HashMap<>();
  private final Map<String, UnreadableApiKey> unreadable = new HashMap<>();

  /**
   * Makes a ring.
   *
   * @param revision every change of a key raises it
   */
  public ApiKeyRing(long revision, List<? extends ApiKeyRow> rows) {
    this.revision = revision;
    for (var row : rows) {
      switch (row) {
        case StoredApiKey key -> keys.put(key.id(), key);
        case UnreadableApiKey key -> unreadable.put(key.id(), key);
      }
    }
  }

  public long revision() {
    return revision;
  }

  /** Finds the live key that a caller presents. */
  public Optional<StoredApiKey> find(ApiKey presented, Instant now) {
    var known = Optional.ofNullable(keys.get(presented.id()));
    var hash = known.map(StoredApiKey::secretHash).orElse(UNKNOWN);
    return presented.secretHash().matches(hash)
        ? known.filter(key -> key.isLive(now))
        : Optional.empty();
  }

  /** Whether the key with this id is live. */
  public boolean isLive(String id, Instant now) {
    return Optional.ofNullable(keys.get(id)).filter(key -> key.isLive(now)).isPresent();
  }

  /** The number of live keys. */
  public int live(Instant now) {
    return (int) keys.values().stream().filter(key -> key.isLive(now)).count();
  }

  /** Whether any key is live. */
  public boolean hasLive(Instant now) {
    return keys.values().stream().anyMatch(key -> key.isLive(now));
  }

  /** Returns the keys that this version cannot read, without those of the ring before. */
  public List<UnreadableApiKey> newlyUnreadable(ApiKeyRing before) {
    return unreadable.values().stream()
        .filter(key -> !before.unreadable.containsKey(key.id()))
        .toList();
  }
}
