package dev.hapax.console.bulk;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.hapax.console.web.Visit;
import java.time.Duration;
import java.util.Optional;

/** The bulk changes of the last hour, in memory. Each is shown to its principal only. */
public final class BulkJobs {
  /** How many are under way at once. */
  static final int MOST = 8;

  private static final Duration KEPT = Duration.ofHours(1);
  private static final int MOST_KEPT = 1_000;

  private final Cache<Key, BulkJob> jobs =
      Caffeine.newBuilder().expireAfterWrite(KEPT).maximumSize(MOST_KEPT).build();

  private record Key(String principal, String workspace, String id) {
    static Key of(Visit visit, String id) {
      return new Key(visit.access().name(), visit.workspace(), id);
    }
  }

  /**
   * Starts a job unless the visitor has already started it.
   *
   * @return whether it was started now or before; false = too many are under way
   */
  synchronized boolean start(Visit visit, String id, BulkJob job) {
    var key = Key.of(visit, id);
    if (jobs.getIfPresent(key) != null) {
      return true;
    }
    if (jobs.asMap().values().stream().filter(other -> !other.progress().ended()).count() >= MOST) {
      return false;
    }
    jobs.put(key, job);
    Thread.ofVirtual().name("bulk change").start(job);
    return true;
  }

  Optional<BulkJob> find(Visit visit, String id) {
    return Optional.ofNullable(jobs.getIfPresent(Key.of(visit, id)));
  }
}
