package dev.hapax.console.bulk;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.hapax.console.web.Visit;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** The bulk changes of the last hour, in memory. Each is shown to its principal only. */
public final class BulkJobs {
  /** The most jobs under way at once, of all principals. */
  static final int MAX_UNDER_WAY = 8;

  private static final Duration KEPT = Duration.ofHours(1);
  private static final int MAX_KEPT = 1_000;

  private final Cache<Key, BulkJob> jobs =
      Caffeine.newBuilder().expireAfterWrite(KEPT).maximumSize(MAX_KEPT).build();

  // a job may be under way for longer than it is kept
  private final Semaphore free = new Semaphore(MAX_UNDER_WAY);

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
    if (!free.tryAcquire()) {
      return false;
    }
    jobs.put(key, job);
    Thread.ofVirtual().name("bulk change").start(() -> run(job));
    return true;
  }

  private void run(BulkJob job) {
    try {
      job.run();
    } finally {
      free.release();
    }
  }

  Optional<BulkJob> find(Visit visit, String id) {
    return Optional.ofNullable(jobs.getIfPresent(Key.of(visit, id)));
  }
}
