package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Command.Urgency;
import dev.hapax.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What waits for the next batch: bounded in commands and bytes, fair between workspaces, and what
 * ends work goes before what begins some.
 */
final class CommandQueue {
  static final Duration RETRY_AFTER = Duration.ofMillis(200);

  /** Of a batch; what begins work keeps it even when what ends work would fill the batch. */
  private static final int START_SHARE_DIVISOR = 4;

  private final Limits limits;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final CommandLane finish;
  private final CommandLane start;
  private final List<Set<QueuedCommand<?>>> parked = new ArrayList<>();
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

  /** Queues, or throws that it is full or closed. */
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

  /** Puts back what could not be part of a batch; it goes first, and no bound holds for it. */
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
   * Keeps what was taken until this completes, then it goes first. It counts meanwhile, and no
   * bound holds for it.
   */
  void park(List<QueuedCommand<?>> postponed, CompletableFuture<Void> until) {
    var together = new LinkedHashSet<>(postponed);
    lock.lock();
    try {
      together.forEach(pending -> lane(pending).hold(pending));
      parked.add(together);
    } finally {
      lock.unlock();
    }
    // refers to those that still wait: most may be answered long before it completes
    var _ = until.thenRun(() -> unpark(together));
  }

  private void unpark(Set<QueuedCommand<?>> together) {
    lock.lock();
    try {
      var left = List.copyOf(together);
      together.clear();
      parked.removeIf(Set::isEmpty);
      left.forEach(pending -> lane(pending).release(pending));
      addFirst(left);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next batch: all that waits, up to the bounds. Waits for the first command, at most this
   * long; empty when none came.
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

  /** Whoever begins work keeps a share, and each lane's first command fits however large it is. */
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

  /** Counts what was taken and waits elsewhere for its record; no bound holds for it. */
  void hold(QueuedCommand<?> pending) {
    lock.lock();
    try {
      lane(pending).hold(pending);
    } finally {
      lock.unlock();
    }
  }

  /** No longer counts what was held. */
  void release(QueuedCommand<?> pending) {
    lock.lock();
    try {
      lane(pending).release(pending);
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is closed, and nothing waits or is held. */
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

  /** Nothing more comes in; what is there still goes. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes out what nobody waits for any longer. */
  List<QueuedCommand<?>> removeLate(long nowNanos) {
    lock.lock();
    try {
      var late = new ArrayList<QueuedCommand<?>>();
      finish.removeLate(nowNanos, late);
      start.removeLate(nowNanos, late);
      parked.forEach(together -> removeLate(together, nowNanos, late));
      parked.removeIf(Set::isEmpty);
      if (isDone()) {
        changed.signalAll();
      }
      return late;
    } finally {
      lock.unlock();
    }
  }

  private void removeLate(
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
