package dev.hapax.postgres.ledger;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command.Urgency;
import dev.hapax.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

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
  private final Lane finish;
  private final Lane start;
  private boolean closed;

  CommandQueue(Limits limits) {
    this.limits = limits;
    this.finish = new Lane("finish", limits);
    this.start = new Lane("start", limits);
  }

  /**
   * How much may wait in each lane, and how much one batch takes. One workspace may fill half of a
   * lane.
   */
  record Limits(int laneCommands, long laneBytes, int batchCommands, long batchBytes) {}

  /** Queues, or throws that it is full or closed. */
  void add(Pending<?> pending) {
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
  void addFirst(List<Pending<?>> deferred) {
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
   * The next batch: all that waits, up to the bounds. Waits for the first command, at most this
   * long; empty when none came.
   */
  List<Pending<?>> take(long waitNanos) throws InterruptedException {
    lock.lock();
    try {
      var left = waitNanos;
      while (finish.waiting + start.waiting == 0 && !isDone() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return batch();
    } finally {
      lock.unlock();
    }
  }

  /** Whoever begins work keeps a share, and each lane's first command fits however large it is. */
  private List<Pending<?>> batch() {
    var batch =
        new ArrayList<Pending<?>>(Math.min(limits.batchCommands, finish.waiting + start.waiting));
    var commands = Math.min(limits.batchCommands / START_SHARE_DIVISOR, start.waiting);
    var bytes = Math.min(limits.batchBytes / START_SHARE_DIVISOR, start.bytes);
    var left = finish.moveTo(batch, limits.batchCommands - commands, limits.batchBytes - bytes);
    start.moveTo(batch, limits.batchCommands, left + bytes);
    return batch;
  }

  /** Counts what was taken and waits elsewhere for its record; no bound holds for it. */
  void hold(Pending<?> pending) {
    lock.lock();
    try {
      lane(pending).hold(pending);
    } finally {
      lock.unlock();
    }
  }

  /** No longer counts what was held. */
  void release(Pending<?> pending) {
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
      return finish.count + start.count;
    } finally {
      lock.unlock();
    }
  }

  private boolean isDone() {
    return closed && finish.count == 0 && start.count == 0;
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
  List<Pending<?>> removeLate(long nowNanos) {
    lock.lock();
    try {
      var late = new ArrayList<Pending<?>>();
      finish.removeLate(nowNanos, late);
      start.removeLate(nowNanos, late);
      return late;
    } finally {
      lock.unlock();
    }
  }

  private Lane lane(Pending<?> pending) {
    return pending.command().urgency() == Urgency.FINISH ? finish : start;
  }

  /** One kind of urgency: a queue for each workspace, served in turn. */
  private static final class Lane {
    private final String name;
    private final Limits limits;
    private final Map<Workspace, Line> lines = new HashMap<>();
    private final ArrayDeque<Line> turns = new ArrayDeque<>();
    private int waiting;

    /** Those held included. */
    private int count;

    private long bytes;

    Lane(String name, Limits limits) {
      this.name = name;
      this.limits = limits;
    }

    private static final class Line {
      private final ArrayDeque<Pending<?>> waiting = new ArrayDeque<>();
      private int count;
      private long bytes;
    }

    void add(Pending<?> pending) {
      var size = pending.size();
      if (count >= limits.laneCommands || bytes + size > limits.laneBytes) {
        throw new LedgerException.Overloaded(name + " commands of this server", RETRY_AFTER);
      }
      var line = lines.get(pending.command().workspace());
      if (line != null
          && (line.count >= limits.laneCommands / 2 || line.bytes + size > limits.laneBytes / 2)) {
        throw new LedgerException.Overloaded(name + " commands of this workspace", RETRY_AFTER);
      }
      hold(pending);
      enqueue(pending, ArrayDeque::addLast);
    }

    void addFirst(Pending<?> pending) {
      hold(pending);
      enqueue(pending, ArrayDeque::addFirst);
    }

    private void enqueue(Pending<?> pending, BiConsumer<ArrayDeque<Pending<?>>, Pending<?>> place) {
      var line = line(pending);
      if (line.waiting.isEmpty()) {
        turns.addLast(line);
      }
      place.accept(line.waiting, pending);
      waiting++;
    }

    void hold(Pending<?> pending) {
      var line = lines.computeIfAbsent(pending.command().workspace(), _ -> new Line());
      line.count++;
      line.bytes += pending.size();
      count++;
      bytes += pending.size();
    }

    void release(Pending<?> pending) {
      var line = line(pending);
      line.count--;
      line.bytes -= pending.size();
      count--;
      bytes -= pending.size();
      if (line.count == 0) {
        lines.remove(pending.command().workspace());
      }
    }

    private Line line(Pending<?> pending) {
      return Objects.requireNonNull(lines.get(pending.command().workspace()));
    }

    /** Returns how many of the bytes are left. */
    long moveTo(List<Pending<?>> batch, int upTo, long bytesUpTo) {
      var left = bytesUpTo;
      for (var first = true; batch.size() < upTo && waiting > 0; first = false) {
        var line = turns.getFirst();
        var size = line.waiting.getFirst().size();
        if (!first && size > left) {
          break;
        }
        left -= size;
        var pending = line.waiting.removeFirst();
        waiting--;
        release(pending);
        turns.removeFirst();
        if (!line.waiting.isEmpty()) {
          turns.addLast(line);
        }
        batch.add(pending);
      }
      return left;
    }

    void removeLate(long nowNanos, List<Pending<?>> late) {
      for (var line : List.copyOf(turns)) {
        for (var turn = line.waiting.iterator(); turn.hasNext(); ) {
          var pending = turn.next();
          if (pending.isOver(nowNanos)) {
            turn.remove();
            waiting--;
            release(pending);
            late.add(pending);
          }
        }
        if (line.waiting.isEmpty()) {
          turns.remove(line);
        }
      }
    }
  }
}
