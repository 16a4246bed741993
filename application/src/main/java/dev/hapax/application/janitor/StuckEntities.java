package dev.hapax.application.janitor;

import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What modules may look into, as far as this node knows. One look serves all polls that wait: at
 * most one a second, and only when an entity may have changed or the next lease has ended.
 */
final class StuckEntities {
  private static final Duration REST = Duration.ofSeconds(1);
  private static final int SCAN = 500;

  private final EntityReads reads;
  private final Waiters<JanitorId> waiters;
  private final ScheduledExecutorService timer;

  // guarded by this
  private final Map<JanitorId, Found> found = new HashMap<>();
  private final Map<JanitorId, CompletableFuture<Void>> scans = new HashMap<>();
  private final Set<JanitorId> known = new HashSet<>();
  private boolean busy;
  private boolean wanted;
  private @Nullable Future<?> nextLook;

  /**
   * What a scan found and nobody has taken.
   *
   * @param more whether there was more
   */
  private record Found(Queue<EntityId> entities, boolean more) {}

  StuckEntities(
      Ledger ledger,
      EntityReads reads,
      Waiters<JanitorId> waiters,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.waiters = waiters;
    this.timer = timer;
    ledger.onCommit(this::changed);
    ledger.onForeignCommit(this::doubt);
  }

  private void changed(Collection<RecordKey<?>> keys) {
    if (keys.stream().anyMatch(key -> key instanceof EntityId || key instanceof JanitorId)) {
      doubt();
    }
  }

  /** What is known may be wrong by now. */
  void doubt() {
    synchronized (this) {
      known.clear();
    }
    if (waiters.isAnybodyThere()) {
      look();
    }
  }

  /** Some of those that were found; they may be taken by now. */
  synchronized List<EntityId> take(JanitorId janitor, int atMost) {
    var taken = new ArrayList<EntityId>();
    var left = found.get(janitor);
    while (left != null && taken.size() < atMost && !left.entities().isEmpty()) {
      taken.add(left.entities().remove());
    }
    return taken;
  }

  /** Whether the last scan left some. */
  synchronized boolean hasMore(JanitorId janitor) {
    var left = found.get(janitor);
    return left != null && left.more();
  }

  /** Has polls of this janitor woken when there is something; asks only if nobody knows. */
  void await(JanitorId janitor) {
    synchronized (this) {
      if (known.contains(janitor)) {
        return;
      }
    }
    look();
  }

  private void look() {
    synchronized (this) {
      wanted = true;
      if (busy) {
        return;
      }
      busy = true;
    }
    lookNow();
  }

  private void lookNow() {
    synchronized (this) {
      wanted = false;
      if (nextLook != null) {
        nextLook.cancel(false);
        nextLook = null;
      }
    }
    // after that: who comes later wants another look
    var awaited = waiters.keys();
    synchronized (this) {
      found.keySet().retainAll(awaited);
      known.clear();
      known.addAll(awaited);
    }
    if (awaited.isEmpty()) {
      rested();
      return;
    }
    var _ = reads.firstStale(awaited).whenComplete((first, _) -> looked(first));
  }

  /** Nothing = the look failed. */
  private void looked(@Nullable Map<JanitorId, Duration> first) {
    if (first == null) {
      doubt();
    } else {
      first.forEach(
          (janitor, in) -> {
            if (!in.isPositive()) {
              var _ = scan(janitor).thenRun(() -> waiters.wake(List.of(janitor)));
            }
          });
      first.values().stream()
          .filter(Duration::isPositive)
          .min(Duration::compareTo)
          .ifPresent(this::lookIn);
    }
    var _ = timer.schedule(this::rested, REST.toNanos(), TimeUnit.NANOSECONDS);
  }

  private synchronized void lookIn(Duration time) {
    nextLook = timer.schedule(this::look, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void rested() {
    synchronized (this) {
      if (!wanted) {
        busy = false;
        return;
      }
    }
    lookNow();
  }

  /** Asks the database, once for all who want to know; completes also if that failed. */
  CompletableFuture<Void> scan(JanitorId janitor) {
    var mine = new CompletableFuture<Void>();
    synchronized (this) {
      var underWay = scans.putIfAbsent(janitor, mine);
      if (underWay != null) {
        return underWay;
      }
    }
    var _ =
        reads
            .stale(janitor, SCAN)
            .whenComplete(
                (stale, _) -> {
                  scanned(janitor, stale);
                  mine.complete(null);
                });
    return mine;
  }

  private void scanned(JanitorId janitor, @Nullable List<EntityId> stale) {
    synchronized (this) {
      scans.remove(janitor);
      found.remove(janitor);
      if (stale != null) {
        found.put(janitor, new Found(new ArrayDeque<>(stale), stale.size() == SCAN));
        return;
      }
    }
    doubt();
  }
}
