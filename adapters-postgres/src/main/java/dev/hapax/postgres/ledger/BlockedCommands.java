package dev.hapax.postgres.ledger;

import dev.hapax.postgres.ledger.QueuedCommand.Lock;
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
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Commands whose records another transaction holds, such as one of a node that was stopped. They
 * are retried apart from other commands, so that those do not wait: commands that touch the same
 * records form a group, and one group is retried at a time. They still count in the queue. Used by
 * one thread.
 */
final class BlockedCommands {
  /** Enough for commands that were only in one batch with a blocked one. */
  private static final int FIRST_LOCK_MILLIS = 2;

  /** Long enough to get a record that other nodes write all the time, on a slow disk too. */
  static final int MAX_LOCK_MILLIS = 40;

  /** One part in so many of the time is spent on waiting for records that stay blocked. */
  private static final int SHARE = 5;

  private final CommandQueue queue;

  /** The groups; the one that has waited longest is first. */
  private final SequencedMap<Set<Lock>, Group> groups = new LinkedHashMap<>();

  /** All locks of all groups that may be refused; other commands must not need them. */
  private final Set<Lock> suspects = new HashSet<>();

  /** The records that commands of all groups only read. */
  private final Set<Lock> read = new HashSet<>();

  /**
   * The commands being retried; they still count, or others would take their place in the queue.
   */
  private final Set<QueuedCommand<?>> retrying = new HashSet<>();

  private final LongSupplier clock;
  private long lastRetryNanos;
  private long nextRetryNanos;

  BlockedCommands(CommandQueue queue, LongSupplier clock) {
    this.queue = queue;
    this.clock = clock;
    this.nextRetryNanos = clock.getAsLong();
  }

  /**
   * Commands that touch the same records.
   *
   * @param suspects the locks that may be refused
   * @param lockMillis how long the next attempt waits for them
   */
  record Group(List<QueuedCommand<?>> commands, Set<Lock> suspects, int lockMillis) {
    private Group(Set<Lock> suspects, int lockMillis) {
      this(new ArrayList<>(), new HashSet<>(suspects), lockMillis);
    }
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Sets blocked commands aside. */
  void add(Collection<QueuedCommand<?>> blocked) {
    blocked.forEach(pending -> add(pending, FIRST_LOCK_MILLIS, this::refused));
  }

  /**
   * Sets commands aside whose retry failed. Their next attempt waits longer. A pause follows, but
   * not after first attempts, so that commands which are not blocked are found soon.
   */
  void addAgain(Group tried, Collection<QueuedCommand<?>> blocked) {
    if (tried.lockMillis > FIRST_LOCK_MILLIS) {
      var now = clock.getAsLong();
      nextRetryNanos = now + (now - lastRetryNanos) * (SHARE - 1);
    }
    var lockMillis = Math.min(2 * tried.lockMillis, MAX_LOCK_MILLIS);
    blocked.forEach(pending -> add(pending, lockMillis, _ -> refused(tried.suspects)));
  }

  private void add(QueuedCommand<?> pending, int lockMillis, UnaryOperator<Set<Lock>> suspected) {
    groups
        .computeIfAbsent(pending.locks(), locks -> group(locks, lockMillis, suspected))
        .commands
        .add(pending);
    if (!retrying.remove(pending)) {
      queue.hold(pending);
    }
  }

  private Group group(Set<Lock> locks, int lockMillis, UnaryOperator<Set<Lock>> suspected) {
    var group = new Group(suspected.apply(locks), lockMillis);
    suspects.addAll(group.suspects);
    locks.stream().filter(Lock::shared).forEach(read::add);
    return group;
  }

  /**
   * The locks that may have been refused to these commands. A lock that another group may hold
   * explains the refusal, so the others are no suspects; nor are records that they only read,
   * unless another group failed to read them.
   */
  private Set<Lock> refused(Set<Lock> locks) {
    var own = filtered(locks, lock -> !lock.shared());
    var explained = filtered(own, suspects::contains);
    if (!explained.isEmpty()) {
      return explained;
    }
    var likely = filtered(locks, lock -> !lock.shared() || read.contains(lock));
    return likely.isEmpty() ? locks : likely;
  }

  private static Set<Lock> filtered(Set<Lock> locks, Predicate<Lock> what) {
    return locks.stream().filter(what).collect(Collectors.toSet());
  }

  /** Keeps the commands that need a suspect lock; returns the others. */
  List<QueuedCommand<?>> keepBlocked(List<QueuedCommand<?>> commands) {
    if (groups.isEmpty()) {
      return commands;
    }
    var free = new ArrayList<QueuedCommand<?>>();
    for (var pending : commands) {
      if (Collections.disjoint(pending.locks(), suspects)) {
        free.add(pending);
      } else {
        add(pending, FIRST_LOCK_MILLIS, locks -> filtered(locks, suspects::contains));
      }
    }
    return free;
  }

  /** When the next group may be tried. */
  long nanosToNextRetry() {
    return nextRetryNanos - clock.getAsLong();
  }

  /** Takes out the group that has waited longest, if it is time to try one. */
  Optional<Group> next() {
    if (groups.isEmpty() || nanosToNextRetry() > 0) {
      return Optional.empty();
    }
    lastRetryNanos = clock.getAsLong();
    var group = groups.pollFirstEntry().getValue();
    retrying.addAll(group.commands);
    refreshSuspects();
    return Optional.of(group);
  }

  /** The group taken out was retried: commands that were not set aside again no longer count. */
  void done() {
    retrying.forEach(queue::release);
    retrying.clear();
  }

  /**
   * These locks were granted, so they no longer explain a blockage. Commands without another
   * suspect lock return to the queue.
   */
  void clear(Collection<QueuedCommand<?>> decided) {
    var granted = granted(decided);
    var cleared = new ArrayList<QueuedCommand<?>>();
    for (var group : groups.values()) {
      group.suspects.removeAll(granted);
      if (group.suspects.isEmpty()) {
        cleared.addAll(group.commands);
      }
    }
    groups.values().removeIf(group -> group.suspects.isEmpty());
    refreshSuspects();
    cleared.forEach(queue::release);
    queue.addFirst(cleared);
  }

  /** An exclusive lock that was granted could have been shared, too. */
  private static Set<Lock> granted(Collection<QueuedCommand<?>> decided) {
    var granted = new HashSet<Lock>();
    for (var pending : decided) {
      for (var lock : pending.locks()) {
        granted.add(lock);
        granted.add(new Lock(lock.key(), true));
      }
    }
    return granted;
  }

  private void refreshSuspects() {
    suspects.clear();
    read.clear();
    groups.forEach(
        (locks, group) -> {
          suspects.addAll(group.suspects);
          read.addAll(filtered(locks, Lock::shared));
        });
  }

  /** Removes the commands whose callers no longer wait. */
  List<QueuedCommand<?>> removeFinished(long nowNanos) {
    var late = new ArrayList<QueuedCommand<?>>();
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
      refreshSuspects();
    }
    return late;
  }
}
