package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.ScanWindow;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The ready runs of one queue, as far as this node knows, and the polls that wait for them. */
final class TaskQueue {
  private static final FailureLog SCANS = new FailureLog(TaskQueue.class, "scan of a queue");
  private static final int MAX_OFFERED = 10_000;
  private static final int SCAN = 500;
  private static final Duration KEPT = Duration.ofMinutes(1);

  private final Workspace workspace;
  private final String name;
  private final RunReads reads;
  private final InstantSource clock;

  // guarded by this
  private final Deque<RunId> offered = new ArrayDeque<>();
  private final Set<RunId> known = new HashSet<>();
  private final Set<TaskPoll> parked = new LinkedHashSet<>();
  private boolean incomplete = true;
  private Instant usedAt;
  private final ScanWindow window;
  private @Nullable CompletableFuture<?> scan;

  TaskQueue(Workspace workspace, String name, RunReads reads, InstantSource clock) {
    this.workspace = workspace;
    this.name = name;
    this.reads = reads;
    this.clock = clock;
    this.usedAt = clock.instant();
    this.window = new ScanWindow(clock);
  }

  String name() {
    return name;
  }

  synchronized void park(TaskPoll poll) {
    parked.add(poll);
  }

  synchronized void leave(TaskPoll poll) {
    parked.remove(poll);
    usedAt = clock.instant();
  }

  /** Keeps the queue in memory for a poll that is about to wait. */
  synchronized TaskQueue touched() {
    usedAt = clock.instant();
    return this;
  }

  /** Whether no poll has waited for a while. */
  synchronized boolean isUnused() {
    return parked.isEmpty() && !clock.instant().isBefore(usedAt.plus(KEPT));
  }

  synchronized boolean hasPolls() {
    return !parked.isEmpty();
  }

  /** Offers a ready run. */
  void offer(RunId run) {
    add(List.of(run));
    wakeOne();
  }

  private synchronized void add(Collection<RunId> runs) {
    for (var run : runs) {
      if (offered.size() >= MAX_OFFERED) {
        incomplete = true;
        window.reset();
        return;
      }
      if (known.add(run)) {
        offered.add(run);
      }
    }
  }

  /** Returns a run that was taken but not claimed. */
  synchronized void putBack(RunId run) {
    if (known.add(run)) {
      offered.addFirst(run);
    }
  }

  /**
   * Reserves a place in the poll that has waited longest, unless other tasks come first. A poll
   * that claims tasks and has free places has emptied the queue, so runs offered since are not
   * older.
   */
  synchronized Optional<TaskPoll> reserve(Instant batch, long submittedNanos) {
    return incomplete || scan != null
        ? Optional.empty()
        : parked.stream()
            .filter(poll -> offered.isEmpty() || poll.isClaiming())
            .filter(poll -> poll.reserve(batch, submittedNanos))
            .findFirst();
  }

  private void wakeOne() {
    for (var poll : polls()) {
      if (poll.wake()) {
        return;
      }
    }
  }

  /** Wakes the next poll if offers are left. */
  void wakeNext() {
    if (hasOffers()) {
      wakeOne();
    }
  }

  private synchronized boolean hasOffers() {
    return !offered.isEmpty();
  }

  private synchronized List<TaskPoll> polls() {
    return List.copyOf(parked);
  }

  /** Scans again: other nodes may have made runs ready. */
  void rescan() {
    synchronized (this) {
      incomplete = true;
    }
    wakeOne();
  }

  /** Scans again from the beginning: a run that was taken may still be ready. */
  void rescanAll() {
    window.reset();
    rescan();
  }

  synchronized List<RunId> take(int atMost) {
    var taken = new ArrayList<RunId>(Math.min(atMost, offered.size()));
    while (taken.size() < atMost && !offered.isEmpty()) {
      var run = offered.poll();
      known.remove(run);
      taken.add(run);
    }
    return taken;
  }

  /** Scans the database unless this node knows all ready runs; null = no scan is needed. */
  @Nullable CompletableFuture<?> scan() {
    var mine = new CompletableFuture<Void>();
    synchronized (this) {
      if (scan != null || !incomplete) {
        return scan;
      }
      incomplete = false;
      scan = mine;
    }
    var begun = window.begin();
    var _ =
        reads
            .ready(workspace, name, begun.window(), SCAN)
            .whenComplete(SCANS::ended)
            .whenComplete(
                (found, _) -> {
                  scanned(found, begun);
                  mine.complete(null);
                });
    return mine;
  }

  /** Adds the found runs; null = the scan failed. */
  private synchronized void scanned(@Nullable List<RunId> found, ScanWindow.Scan begun) {
    scan = null;
    if (found == null || found.size() == SCAN) {
      incomplete = true;
    } else {
      window.completed(begun);
    }
    if (found != null) {
      add(found);
    }
  }
}
