package dev.hapax.console.web;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * The credentials of visitors who have logged in, in memory. A session ends after eight hours, when
 * its visitor logs out, and when the server refuses its credentials.
 */
final class WebSessions {
  static final Duration LIFETIME = Duration.ofHours(8);

  private static final int MOST = 10_000;

  /** So that those of one principal end no session of another one. */
  static final int MOST_OF_PRINCIPAL = 100;

  private static final int ID_BYTES = 32;

  private final SecureRandom random = new SecureRandom();
  // by the hash of the id, so that a dump of the memory has no id
  private final Cache<String, Session> sessions =
      Caffeine.newBuilder().expireAfterWrite(LIFETIME).maximumSize(MOST).build();

  /**
   * What a visitor has presented.
   *
   * @param number later sessions have higher ones
   */
  private record Session(String credential, String principal, long number) {}

  private long begun;

  /** Draws an id, also for visitors without credentials. */
  String newId() {
    var id = new byte[ID_BYTES];
    random.nextBytes(id);
    return KeyedHash.text(id);
  }

  /** Begins a session and returns its id; ends the oldest one of a principal that has too many. */
  synchronized String begin(String credential, String principal) {
    var own =
        sessions.asMap().entrySet().stream()
            .filter(each -> each.getValue().principal().equals(principal))
            .sorted(Comparator.comparingLong(each -> each.getValue().number()))
            .map(Map.Entry::getKey)
            .toList();
    own.stream()
        .limit(Math.max(0, own.size() + 1 - MOST_OF_PRINCIPAL))
        .forEach(sessions::invalidate);
    var id = newId();
    sessions.put(KeyedHash.sha256(id), new Session(credential, principal, ++begun));
    return id;
  }

  Optional<String> credential(String id) {
    return Optional.ofNullable(sessions.getIfPresent(KeyedHash.sha256(id)))
        .map(Session::credential);
  }

  void end(String id) {
    sessions.invalidate(KeyedHash.sha256(id));
  }
}
