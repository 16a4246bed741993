package dev.hapax.testkit.server;

import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskClaim;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Waits until no work is pending. Workers run on separate threads, so the clock must not advance
 * right after a decision: the lease of a task in delivery would expire before its handler began.
 */
final class Quiescence {
  private static final long MAX_WAIT = Duration.ofSeconds(30).toNanos();

  /** Longer than a busy machine needs to start a worker or to repeat a poll. */
  private static final long WORKER_WAIT = Duration.ofSeconds(5).toNanos();

  private static final long FIRST_PAUSE = 100_000;
  private static final long LONGEST_PAUSE = Duration.ofMillis(5).toNanos();

  private final Supplier<List<PendingWork>> pending;
  private final Runnable tick;
  private final RealTime time;
  private final Map<RunReads.Queue, Long> unpolledSince = new HashMap<>();
  private final Set<RunReads.Queue> abandoned = new HashSet<>();

  /**
   * Creates the wait.
   *
   * @param pending returns the work that is pending now
   * @param tick decides the due work
   */
  Quiescence(Supplier<List<PendingWork>> pending, Runnable tick, RealTime time) {
    this.pending = pending;
    this.tick = tick;
    this.time = time;
  }

  /**
   * Waits until no work is pending.
   *
   * @param ignored the held tasks to ignore
   */
  void await(Predicate<TaskClaim> ignored) {
    var begun = time.nanos();
    var pause = FIRST_PAUSE;
    for (var remaining = remaining(ignored); !remaining.isEmpty(); remaining = remaining(ignored)) {
      if (time.nanos() - begun > MAX_WAIT) {
        throw new IllegalStateException("work is still pending after 30 s: " + text(remaining));
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("interrupted while work is pending: " + text(remaining));
      }
      time.pause(pause);
      if (pause < LONGEST_PAUSE) {
        pause *= 2;
      } else {
        // decides work that became due between two ticks
        tick.run();
      }
    }
  }

  private static String text(List<PendingWork> pending) {
    return pending.stream().map(PendingWork::toString).collect(Collectors.joining(", "));
  }

  private List<PendingWork> remaining(Predicate<TaskClaim> ignored) {
    var all =
        pending.get().stream()
            .filter(
                work -> !(work instanceof PendingWork.Held(var claim, _) && ignored.test(claim)))
            .toList();
    if (all.stream().anyMatch(PendingWork.Held.class::isInstance)) {
      // a busy worker will poll again
      unpolledSince.clear();
    }
    return all.stream().filter(this::isPending).toList();
  }

  private boolean isPending(PendingWork work) {
    return switch (work) {
      case PendingWork.Held _, PendingWork.Undecided _ -> true;
      case PendingWork.Offered(_, var queue, var polled) ->
          polled ? isPolled(queue) : mayBePolled(queue);
    };
  }

  private boolean isPolled(RunReads.Queue queue) {
    unpolledSince.remove(queue);
    abandoned.remove(queue);
    return true;
  }

  private boolean mayBePolled(RunReads.Queue queue) {
    if (abandoned.contains(queue)) {
      return false;
    }
    var now = time.nanos();
    if (now - unpolledSince.computeIfAbsent(queue, _ -> now) < WORKER_WAIT) {
      return true;
    }
    unpolledSince.remove(queue);
    abandoned.add(queue);
    return false;
  }
}
