package dev.hapax.application.janitor;

import dev.hapax.application.janitor.StaleScanWindows.Scan;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Searches for stuck entities that modules may recover. One query serves all waiting polls: at most
 * one a second, after a change or the next lease expiry, and periodically in case a notification
 * was lost.
 */
final class StuckEntitySearch {
  private static final Duration REST = Duration.ofSeconds(1);
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final int SCAN = 500;

  private final EntityReads reads;
  private final Waiters<JanitorId> waiters;
  private final ScheduledExecutorService timer;
  private final StaleScanWindows windows;
  private final FailureLog log =
      new FailureLog(StuckEntitySearch.class, "query for stuck entities");
  private final SingleFlight query;

  // guarded by this
  private final Map<JanitorId, Found> found = new HashMap<>();
  private final Map<JanitorId, CompletableFuture<Void>> scans = new HashMap<>();
  // the last query covered these, and nothing has changed since
  private final Set<JanitorId> known = new HashSet<>();
  private @Nullable Future<?> nextQuery;

  /**
   * Entities that a scan found and no poll has taken.
   *
   * @param more whether the scan stopped at its limit
   */
  private record Found(SequencedSet<EntityId> entities, boolean more) {}

  StuckEntitySearch(
      Ledger ledger,
      EntityReads reads,
      Waiters<JanitorId> waiters,
      InstantSource clock,
      ScheduledExecutorService timer) {
    this.windows = new StaleScanWindows(clock);
    this.reads = reads;
    this.waiters = waiters;
    this.timer = timer;
    this.query = new SingleFlight(this::load, REST, log, timer);
    ledger.onCommit(this::changed);
    ledger.onRemoteCommit(this::requestQuery);
  }

  private void changed(Collection<RecordKey<?>> keys) {
    if (keys.stream().anyMatch(key -> key instanceof EntityId || key instanceof JanitorId)) {
      requestQuery();
    }
  }

  /** Requests a query, because entities or janitors may have changed. */
  void requestQuery() {
    synchronized (this) {
      known.clear();
    }
    if (waiters.hasAny()) {
      query.request();
    }
  }

  /**
   * Requests a full scan, because the outcome of a claim is unknown and the entity may still be
   * stuck.
   */
  void rescanAll(JanitorId janitor) {
    windows.reset(janitor);
    requestQuery();
  }

  /** Removes and returns some of the found entities, which may no longer be stuck. */
  synchronized List<EntityId> take(JanitorId janitor, int atMost) {
    var taken = new ArrayList<EntityId>();
    var left = found.get(janitor);
    while (left != null && taken.size() < atMost && !left.entities().isEmpty()) {
      taken.add(left.entities().removeFirst());
    }
    return taken;
  }

  /** Whether the last scan stopped at its limit. */
  synchronized boolean hasMore(JanitorId janitor) {
    var left = found.get(janitor);
    return left != null && left.more();
  }

  /**
   * Makes sure that polls of this janitor are woken when an entity is stuck; queries only if that
   * is not known.
   */
  void await(JanitorId janitor) {
    synchronized (this) {
      if (known.contains(janitor)) {
        return;
      }
    }
    query.request();
  }

  private CompletableFuture<?> load() {
    synchronized (this) {
      if (nextQuery != null) {
        nextQuery.cancel(false);
        nextQuery = null;
      }
    }
    var awaited = waiters.keys();
    forgetAllBut(awaited);
    if (awaited.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    var begun = awaited.stream().map(windows::begin).toList();
    return reads
        .firstStale(begun.stream().map(Scan::leases).toList())
        .thenAccept(first -> loaded(begun, first))
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                requestQuery();
              }
            });
  }

  private synchronized void forgetAllBut(Set<JanitorId> awaited) {
    found.forEach(
        (janitor, left) -> {
          if (!awaited.contains(janitor) && !left.entities().isEmpty()) {
            windows.reset(janitor);
          }
        });
    found.keySet().retainAll(awaited);
    known.clear();
    known.addAll(awaited);
  }

  private void loaded(List<Scan> begun, Map<JanitorId, Duration> first) {
    var next = INTERVAL;
    for (var scan : begun) {
      var in = first.getOrDefault(scan.janitor(), INTERVAL);
      if (in.isPositive()) {
        windows.completed(scan);
        next = in.compareTo(next) < 0 ? in : next;
      } else {
        var _ = scan(scan.janitor()).thenRun(() -> waiters.wake(List.of(scan.janitor())));
      }
    }
    queryAfter(next);
  }

  private synchronized void queryAfter(Duration time) {
    nextQuery = timer.schedule(query::request, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Scans for stuck entities of a module, shared by concurrent callers; completes also after a
   * failure.
   */
  CompletableFuture<Void> scan(JanitorId janitor) {
    var mine = new CompletableFuture<Void>();
    synchronized (this) {
      var inProgress = scans.putIfAbsent(janitor, mine);
      if (inProgress != null) {
        return inProgress;
      }
    }
    var scan = windows.begin(janitor);
    var _ =
        reads
            .stale(scan.leases(), SCAN)
            .whenComplete(log::ended)
            .whenComplete(
                (stale, _) -> {
                  scanned(scan, stale);
                  mine.complete(null);
                });
    return mine;
  }

  /**
   * Stores the result of a scan; null = it failed. A scan of a window keeps what an earlier one
   * found.
   */
  private void scanned(Scan scan, @Nullable List<EntityId> stale) {
    synchronized (this) {
      scans.remove(scan.janitor());
      if (stale != null) {
        var more = stale.size() == SCAN;
        var before = found.get(scan.janitor());
        var entities = new LinkedHashSet<EntityId>();
        if (before != null && scan.leases().window().isPresent()) {
          entities.addAll(before.entities());
        }
        entities.addAll(stale);
        found.put(scan.janitor(), new Found(entities, more));
        if (!more) {
          windows.completed(scan);
        }
        return;
      }
    }
    requestQuery();
  }
}
