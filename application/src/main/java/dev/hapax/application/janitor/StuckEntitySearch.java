package dev.hapax.application.janitor;

import dev.hapax.application.janitor.StaleScanWindows.Look;
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
 * What modules may look into, as far as this node knows. One look serves all polls that wait: at
 * most one a second, when an entity may have changed or the next lease has ended, and now and then
 * for what nobody told this node.
 */
final class StuckEntitySearch {
  private static final Duration REST = Duration.ofSeconds(1);
  private static final Duration NOW_AND_THEN = Duration.ofSeconds(30);
  private static final int SCAN = 500;

  private final EntityReads reads;
  private final Waiters<JanitorId> waiters;
  private final ScheduledExecutorService timer;
  private final StaleScanWindows looks;
  private final FailureLog log =
      new FailureLog(StuckEntitySearch.class, "query for stuck entities");
  private final SingleFlight query;

  // guarded by this
  private final Map<JanitorId, Found> found = new HashMap<>();
  private final Map<JanitorId, CompletableFuture<Void>> scans = new HashMap<>();
  private final Set<JanitorId> known = new HashSet<>();
  private @Nullable Future<?> nextLook;

  /**
   * What a scan found and nobody has taken.
   *
   * @param more whether there was more
   */
  private record Found(SequencedSet<EntityId> entities, boolean more) {}

  StuckEntitySearch(
      Ledger ledger,
      EntityReads reads,
      Waiters<JanitorId> waiters,
      InstantSource clock,
      ScheduledExecutorService timer) {
    this.looks = new StaleScanWindows(clock);
    this.reads = reads;
    this.waiters = waiters;
    this.timer = timer;
    this.query = new SingleFlight(this::look, REST, log, timer);
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
      query.request();
    }
  }

  /** What was found may still be there: what became of a claim on it is not known. */
  void lost(JanitorId janitor) {
    looks.lost(janitor);
    doubt();
  }

  /** Some of those that were found; they may be taken by now. */
  synchronized List<EntityId> take(JanitorId janitor, int atMost) {
    var taken = new ArrayList<EntityId>();
    var left = found.get(janitor);
    while (left != null && taken.size() < atMost && !left.entities().isEmpty()) {
      taken.add(left.entities().removeFirst());
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
    query.request();
  }

  private CompletableFuture<?> look() {
    synchronized (this) {
      if (nextLook != null) {
        nextLook.cancel(false);
        nextLook = null;
      }
    }
    var awaited = waiters.keys();
    forgetAllBut(awaited);
    if (awaited.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    var begun = awaited.stream().map(looks::begin).toList();
    return reads
        .firstStale(begun.stream().map(Look::leases).toList())
        .thenAccept(first -> looked(begun, first))
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                doubt();
              }
            });
  }

  private synchronized void forgetAllBut(Set<JanitorId> awaited) {
    found.forEach(
        (janitor, left) -> {
          if (!awaited.contains(janitor) && !left.entities().isEmpty()) {
            looks.lost(janitor);
          }
        });
    found.keySet().retainAll(awaited);
    known.clear();
    known.addAll(awaited);
  }

  private void looked(List<Look> begun, Map<JanitorId, Duration> first) {
    var next = NOW_AND_THEN;
    for (var look : begun) {
      var in = first.getOrDefault(look.janitor(), NOW_AND_THEN);
      if (in.isPositive()) {
        looks.seen(look);
        next = in.compareTo(next) < 0 ? in : next;
      } else {
        var _ = scan(look.janitor()).thenRun(() -> waiters.wake(List.of(look.janitor())));
      }
    }
    lookIn(next);
  }

  private synchronized void lookIn(Duration time) {
    nextLook = timer.schedule(query::request, time.toNanos(), TimeUnit.NANOSECONDS);
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
    var look = looks.begin(janitor);
    var _ =
        reads
            .stale(look.leases(), SCAN)
            .whenComplete(log::ended)
            .whenComplete(
                (stale, _) -> {
                  scanned(look, stale);
                  mine.complete(null);
                });
    return mine;
  }

  /** Nothing = the scan failed. What an earlier one found is left where this went less far back. */
  private void scanned(Look look, @Nullable List<EntityId> stale) {
    synchronized (this) {
      scans.remove(look.janitor());
      if (stale != null) {
        var more = stale.size() == SCAN;
        var before = found.get(look.janitor());
        var entities = new LinkedHashSet<EntityId>();
        if (before != null && look.leases().back().isPresent()) {
          entities.addAll(before.entities());
        }
        entities.addAll(stale);
        found.put(look.janitor(), new Found(entities, more));
        if (!more) {
          looks.seen(look);
        }
        return;
      }
    }
    doubt();
  }
}
