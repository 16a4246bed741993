package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Commands whose records somebody else holds, such as a node that was stopped in a transaction.
 * They are tried apart, so that nobody else waits with them: those that touch the same records
 * together, one such group at a time. They still count in the queue. Used by one thread.
 */
final class SetAside {
  /** Enough for those who were only together with somebody blocked. */
  private static final int FIRST_LOCK_MILLIS = 2;

  /** Long enough to get a record that other nodes write all the time, on a slow disk too. */
  private static final int MAX_LOCK_MILLIS = 40;

  /** Of the time, one part in so many goes to waiting for records that stay blocked. */
  private static final int SHARE = 5;

  private final CommandQueue queue;

  /** By the records their commands touch; who waits longest is first. */
  private final SequencedMap<Set<RecordKey<?>>, Group> groups = new LinkedHashMap<>();

  /** What commands of others must not touch: all records of all groups that may be held. */
  private final Set<RecordKey<?>> suspects = new HashSet<>();

  /** Those that are being tried; they still count, or others would fill their place each time. */
  private final Set<Pending<?>> inHand = new HashSet<>();

  private final LongSupplier clock;
  private long lastTurnNanos;
  private long nextTurnNanos;

  SetAside(CommandQueue queue, LongSupplier clock) {
    this.queue = queue;
    this.clock = clock;
    this.nextTurnNanos = clock.getAsLong();
  }

  /**
   * Commands that touch the same records.
   *
   * @param suspects those of the records that may be held
   * @param lockMillis how long the next try waits for them
   */
  record Group(List<Pending<?>> commands, Set<RecordKey<?>> suspects, int lockMillis) {
    private Group(Set<RecordKey<?>> suspects, int lockMillis) {
      this(new ArrayList<>(), new HashSet<>(suspects), lockMillis);
    }
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Sets aside what was found blocked. */
  void add(Collection<Pending<?>> blocked) {
    blocked.forEach(pending -> add(pending, FIRST_LOCK_MILLIS));
  }

  /**
   * Sets aside again what was tried in vain. Its next try waits longer. A pause follows, but not on
   * first tries: who is not blocked at all shall be found soon.
   */
  void addAgain(Group tried, Collection<Pending<?>> blocked) {
    if (tried.lockMillis > FIRST_LOCK_MILLIS) {
      var now = clock.getAsLong();
      nextTurnNanos = now + (now - lastTurnNanos) * (SHARE - 1);
    }
    blocked.forEach(pending -> add(pending, Math.min(2 * tried.lockMillis, MAX_LOCK_MILLIS)));
  }

  private void add(Pending<?> pending, int lockMillis) {
    groups
        .computeIfAbsent(pending.keys(), keys -> new Group(suspected(keys), lockMillis))
        .commands
        .add(pending);
    if (!inHand.remove(pending)) {
      queue.hold(pending);
    }
  }

  /** If another group's record explains why these are blocked, the others are not to blame. */
  private Set<RecordKey<?>> suspected(Set<RecordKey<?>> keys) {
    var explained = new HashSet<>(keys);
    explained.retainAll(suspects);
    var suspected = explained.isEmpty() ? keys : explained;
    suspects.addAll(suspected);
    return suspected;
  }

  /** Keeps those that touch a record that may be held; returns the others. */
  List<Pending<?>> keepBlocked(List<Pending<?>> commands) {
    if (groups.isEmpty()) {
      return commands;
    }
    var free = new ArrayList<Pending<?>>();
    for (var pending : commands) {
      if (Collections.disjoint(pending.keys(), suspects)) {
        free.add(pending);
      } else {
        add(pending, FIRST_LOCK_MILLIS);
      }
    }
    return free;
  }

  /** When the next group may be tried. */
  long nanosToNextTurn() {
    return nextTurnNanos - clock.getAsLong();
  }

  /** Takes out the group that has waited longest, if it is time to try one. */
  Optional<Group> next() {
    if (groups.isEmpty() || nanosToNextTurn() > 0) {
      return Optional.empty();
    }
    lastTurnNanos = clock.getAsLong();
    var group = groups.pollFirstEntry().getValue();
    inHand.addAll(group.commands);
    suspectAnew();
    return Optional.of(group);
  }

  /** The group taken out was tried: what did not come back is no longer counted. */
  void done() {
    inHand.forEach(queue::release);
    inHand.clear();
  }

  /** Nobody holds these records: whoever else touches them is blocked by another one. */
  void clear(Set<RecordKey<?>> free) {
    for (var group : groups.values()) {
      if (!free.containsAll(group.suspects)) {
        group.suspects.removeAll(free);
      }
    }
    suspectAnew();
  }

  private void suspectAnew() {
    suspects.clear();
    groups.values().forEach(group -> suspects.addAll(group.suspects));
  }

  /** Takes out what nobody waits for any longer. */
  List<Pending<?>> removeLate(long nowNanos) {
    var late = new ArrayList<Pending<?>>();
    for (var group : groups.values()) {
      for (var turn = group.commands.iterator(); turn.hasNext(); ) {
        var pending = turn.next();
        if (pending.isOver(nowNanos)) {
          turn.remove();
          late.add(pending);
        }
      }
    }
    late.forEach(queue::release);
    if (groups.values().removeIf(group -> group.commands.isEmpty())) {
      suspectAnew();
    }
    return late;
  }
}
