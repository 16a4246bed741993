package dev.hapax.postgres.ledger;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.CommandQueue.Limits;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/** Commands of one urgency: a queue for each workspace, served in turn. Guarded by its owner. */
final class CommandLane {
  private final String name;
  private final Limits limits;
  private final Map<Workspace, Line> lines = new HashMap<>();
  private final ArrayDeque<Line> turns = new ArrayDeque<>();
  private int waiting;

  /** Includes the held commands. */
  private int count;

  private long bytes;

  CommandLane(String name, Limits limits) {
    this.name = name;
    this.limits = limits;
  }

  private static final class Line {
    private final ArrayDeque<QueuedCommand<?>> waiting = new ArrayDeque<>();
    private int count;
    private long bytes;
  }

  /** How many can be taken. */
  int waiting() {
    return waiting;
  }

  /** The number of commands, the held ones included. */
  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  void add(QueuedCommand<?> pending) {
    var size = pending.size();
    if (count >= limits.laneCommands() || bytes + size > limits.laneBytes()) {
      throw new LedgerException.Overloaded(
          name + " commands of this server", CommandQueue.RETRY_AFTER);
    }
    var line = lines.get(pending.workspace());
    if (line != null
        && (line.count >= limits.laneCommands() / 2
            || line.bytes + size > limits.laneBytes() / 2)) {
      throw new LedgerException.Overloaded(
          name + " commands of this workspace", CommandQueue.RETRY_AFTER);
    }
    hold(pending);
    enqueue(pending, ArrayDeque::addLast);
  }

  void addFirst(QueuedCommand<?> pending) {
    hold(pending);
    enqueue(pending, ArrayDeque::addFirst);
  }

  private void enqueue(
      QueuedCommand<?> pending, BiConsumer<ArrayDeque<QueuedCommand<?>>, QueuedCommand<?>> place) {
    var line = line(pending);
    if (line.waiting.isEmpty()) {
      turns.addLast(line);
    }
    place.accept(line.waiting, pending);
    waiting++;
  }

  void hold(QueuedCommand<?> pending) {
    var line = lines.computeIfAbsent(pending.workspace(), _ -> new Line());
    line.count++;
    line.bytes += pending.size();
    count++;
    bytes += pending.size();
  }

  void release(QueuedCommand<?> pending) {
    var line = line(pending);
    line.count--;
    line.bytes -= pending.size();
    count--;
    bytes -= pending.size();
    if (line.count == 0) {
      lines.remove(pending.workspace());
    }
  }

  private Line line(QueuedCommand<?> pending) {
    return Objects.requireNonNull(lines.get(pending.workspace()));
  }

  /** Returns how many of the bytes are left. */
  long moveTo(List<QueuedCommand<?>> batch, int upTo, long bytesUpTo) {
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

  void removeFinished(long nowNanos, List<QueuedCommand<?>> late) {
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
