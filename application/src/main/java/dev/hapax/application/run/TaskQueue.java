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

/** What workers of one queue may take, as far as this node knows, and who waits for it. */
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
  private final ScanWindow lookBack;
  private @Nullable CompletableFuture<?> scan;

  TaskQueue(Workspace workspace, String name, RunReads reads, InstantSource clock) {
    this.workspace = workspace;
    this.name = name;
    this.reads = reads;
    this.clock = clock;
    this.usedAt = clock.instant();
    this.lookBack = new ScanWindow(clock);
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

  /** A poll is about to wait here. */
  synchronized TaskQueue used() {
    usedAt = clock.instant();
    return this;
  }

  /** Whether no poll has waited here for a while. */
  synchronized boolean isUnused() {
    return parked.isEmpty() && !clock.instant().isBefore(usedAt.plus(KEPT));
  }

  synchronized boolean hasPolls() {
    return !parked.isEmpty();
  }

  /** One that can be taken now. */
  void offer(RunId run) {
    add(List.of(run));
    wakeOne();
  }

  private synchronized void add(Collection<RunId> runs) {
    for (var run : runs) {
      if (offered.size() >= MAX_OFFERED) {
        incomplete = true;
        lookBack.lost();
        return;
      }
      if (known.add(run)) {
        offered.add(run);
      }
    }
  }

  /** One that was taken and still can be, since it was not claimed. */
  synchronized void putBack(RunId run) {
    if (known.add(run)) {
      offered.addFirst(run);
    }
  }

  /**
   * A place in the poll that has waited longest, unless other tasks come first. A poll that claims
   * tasks and has places left had emptied the queue: what was offered since did not come first.
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

  /** A poll that was woken for a task and took none of them: another one may want it. */
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

  /** There may be some that this node was not told of. */
  void doubt() {
    synchronized (this) {
      incomplete = true;
    }
    wakeOne();
  }

  /** What was taken may still be there. */
  void lost() {
    lookBack.lost();
    doubt();
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

  /** Asks the database, if it may know more; null = there is nothing to ask. */
  @Nullable CompletableFuture<?> scan() {
    var mine = new CompletableFuture<Void>();
    synchronized (this) {
      if (scan != null || !incomplete) {
        return scan;
      }
      incomplete = false;
      scan = mine;
    }
    var look = lookBack.begin();
    var _ =
        reads
            .ready(workspace, name, look.back(), SCAN)
            .whenComplete(SCANS::ended)
            .whenComplete(
                (found, _) -> {
                  scanned(found, look);
                  mine.complete(null);
                });
    return mine;
  }

  /** Nothing = the scan failed. */
  private synchronized void scanned(@Nullable List<RunId> found, ScanWindow.Look look) {
    scan = null;
    if (found == null || found.size() == SCAN) {
      incomplete = true;
    } else {
      lookBack.seen(look);
    }
    if (found != null) {
      add(found);
    }
  }
}
