package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Command.Urgency;
import dev.hapax.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The commands that wait for the next batch: bounded in commands and bytes, fair between
 * workspaces, and commands that finish work go first.
 */
final class CommandQueue {
  static final Duration RETRY_AFTER = Duration.ofMillis(200);

  /** The share of a batch that is kept for commands that begin work. */
  private static final int START_SHARE_DIVISOR = 4;

  private final Limits limits;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final CommandLane finish;
  private final CommandLane start;
  private final IdentityHashMap<CompletableFuture<Void>, Set<QueuedCommand<?>>> parked =
      new IdentityHashMap<>();
  private boolean closed;

  CommandQueue(Limits limits) {
    this.limits = limits;
    this.finish = new CommandLane("finish", limits);
    this.start = new CommandLane("start", limits);
  }

  /**
   * How much may wait in each lane, and how much one batch takes. One workspace may fill half of a
   * lane.
   */
  record Limits(int laneCommands, long laneBytes, int batchCommands, long batchBytes) {}

  /** Queues a command; throws if the queue is full or closed. */
  void add(QueuedCommand<?> pending) {
    lock.lock();
    try {
      if (closed) {
        throw new LedgerException.Unavailable("the server is stopping");
      }
      lane(pending).add(pending);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Puts back commands that did not fit into a batch; they go first, and no bound applies. */
  void addFirst(List<QueuedCommand<?>> deferred) {
    lock.lock();
    try {
      for (var i = deferred.size() - 1; i >= 0; i--) {
        lane(deferred.get(i)).addFirst(deferred.get(i));
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Holds commands that were taken until a future completes; then they go first. They still count,
   * and no bound applies.
   */
  void park(List<QueuedCommand<?>> postponed, CompletableFuture<Void> until) {
    boolean isFirst;
    lock.lock();
    try {
      postponed.forEach(pending -> lane(pending).hold(pending));
      isFirst = !parked.containsKey(until);
      parked.computeIfAbsent(until, _ -> new LinkedHashSet<>()).addAll(postponed);
    } finally {
      lock.unlock();
    }
    // once for each future, which may outlive many commands
    if (isFirst) {
      var _ = until.thenRun(() -> unpark(until));
    }
  }

  private void unpark(CompletableFuture<Void> until) {
    lock.lock();
    try {
      var left = List.copyOf(parked.getOrDefault(until, Set.of()));
      parked.remove(until);
      left.forEach(pending -> lane(pending).release(pending));
      addFirst(left);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the next batch, up to the bounds. Waits for the first command, at most this long; empty =
   * none came.
   */
  List<QueuedCommand<?>> take(long waitNanos) throws InterruptedException {
    lock.lock();
    try {
      var left = waitNanos;
      while (finish.waiting() + start.waiting() == 0 && !isDone() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return batch();
    } finally {
      lock.unlock();
    }
  }

  /** Commands that begin work keep a share; each lane's first command fits, however large it is. */
  private List<QueuedCommand<?>> batch() {
    var batch =
        new ArrayList<QueuedCommand<?>>(
            Math.min(limits.batchCommands, finish.waiting() + start.waiting()));
    var commands = Math.min(limits.batchCommands / START_SHARE_DIVISOR, start.waiting());
    var bytes = Math.min(limits.batchBytes / START_SHARE_DIVISOR, start.bytes());
    var left = finish.moveTo(batch, limits.batchCommands - commands, limits.batchBytes - bytes);
    start.moveTo(batch, limits.batchCommands, left + bytes);
    return batch;
  }

  /** Counts commands that were taken and wait elsewhere for a record; no bound applies. */
  void hold(QueuedCommand<?> pending) {
    lock.lock();
    try {
      lane(pending).hold(pending);
    } finally {
      lock.unlock();
    }
  }

  /** Stops counting held commands. */
  void release(QueuedCommand<?> pending) {
    lock.lock();
    try {
      lane(pending).release(pending);
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is closed and has no commands, waiting or held. */
  boolean isClosedAndEmpty() {
    lock.lock();
    try {
      return isDone();
    } finally {
      lock.unlock();
    }
  }

  /** How many commands wait or are held. */
  int size() {
    lock.lock();
    try {
      return finish.count() + start.count();
    } finally {
      lock.unlock();
    }
  }

  private boolean isDone() {
    return closed && finish.count() == 0 && start.count() == 0;
  }

  /** Rejects new commands; the queued ones are still served. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Removes the commands whose callers no longer wait. */
  List<QueuedCommand<?>> removeFinished(long nowNanos) {
    lock.lock();
    try {
      var late = new ArrayList<QueuedCommand<?>>();
      finish.removeFinished(nowNanos, late);
      start.removeFinished(nowNanos, late);
      parked.values().forEach(together -> removeFinished(together, nowNanos, late));
      if (isDone()) {
        changed.signalAll();
      }
      return late;
    } finally {
      lock.unlock();
    }
  }

  private void removeFinished(
      Set<QueuedCommand<?>> together, long nowNanos, List<QueuedCommand<?>> late) {
    for (var turn = together.iterator(); turn.hasNext(); ) {
      var pending = turn.next();
      if (pending.isOver(nowNanos)) {
        turn.remove();
        lane(pending).release(pending);
        late.add(pending);
      }
    }
  }

  private CommandLane lane(QueuedCommand<?> pending) {
    return pending.urgency() == Urgency.FINISH ? finish : start;
  }
}
