package dev.hapax.console.web;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/**
 * The credentials of visitors who have logged in, in memory. A session ends after eight hours, when
 * its visitor logs out, and when the server refuses its credentials.
 */
final class WebSessions {
  static final Duration LIFETIME = Duration.ofHours(8);

  /** Each has presented credentials that the server accepts. */
  private static final int MOST = 10_000;

  private static final int ID_BYTES = 32;

  private final SecureRandom random = new SecureRandom();
  // by the hash of the id, so that a dump of the memory has no id
  private final Cache<String, String> credentials =
      Caffeine.newBuilder().expireAfterWrite(LIFETIME).maximumSize(MOST).build();

  /** Draws an id, also for visitors without credentials. */
  String newId() {
    var id = new byte[ID_BYTES];
    random.nextBytes(id);
    return KeyedHash.text(id);
  }

  /** Begins a session and returns its id. */
  String begin(String credential) {
    var id = newId();
    credentials.put(KeyedHash.sha256(id), credential);
    return id;
  }

  Optional<String> credential(String id) {
    return Optional.ofNullable(credentials.getIfPresent(KeyedHash.sha256(id)));
  }

  void end(String id) {
    credentials.invalidate(KeyedHash.sha256(id));
  }
}
