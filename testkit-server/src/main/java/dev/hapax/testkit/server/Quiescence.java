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

/**
 * Waits until nothing goes on any more. Workers act on threads of their own, so the clock may not
 * move as soon as something is decided: a task that a worker is just being given would be over its
 * lease before the handler began.
 */
final class Quiescence {
  private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

  /** Longer than a busy machine needs to begin a worker, or to send a poll again. */
  private static final long FOR_A_WORKER = Duration.ofSeconds(5).toNanos();

  private static final long GLANCE = 100_000;
  private static final long LONGEST_GLANCE = Duration.ofMillis(5).toNanos();

  private final Supplier<List<PendingWork>> motions;
  private final Runnable tick;
  private final RealTime time;
  private final Map<RunReads.Queue, Long> deserted = new HashMap<>();
  private final Set<RunReads.Queue> givenUp = new HashSet<>();

  /**
   * For what may be in motion.
   *
   * @param motions what is, at the moment
   * @param tick decides what is due
   */
  Quiescence(Supplier<List<PendingWork>> motions, Runnable tick, RealTime time) {
    this.motions = motions;
    this.tick = tick;
    this.time = time;
  }

  /**
   * Waits.
   *
   * @param left whom not to wait for
   */
  void await(Predicate<TaskClaim> left) {
    var begun = time.nanos();
    var pause = GLANCE;
    for (var moving = moving(left); !moving.isEmpty(); moving = moving(left)) {
      if (time.nanos() - begun > PATIENCE) {
        throw new IllegalStateException("still going on after 30 s: " + moving);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("interrupted while this goes on: " + moving);
      }
      time.pause(pause);
      if (pause < LONGEST_GLANCE) {
        pause *= 2;
      } else {
        // what was decided between two looks of the timer, and never told to it
        tick.run();
      }
    }
  }

  private List<PendingWork> moving(Predicate<TaskClaim> left) {
    var all =
        motions.get().stream()
            .filter(
                motion -> !(motion instanceof PendingWork.Held(var claim, _) && left.test(claim)))
            .toList();
    if (all.stream().anyMatch(PendingWork.Held.class::isInstance)) {
      // a worker that has its hands full will ask again
      deserted.clear();
    }
    return all.stream().filter(this::isMoving).toList();
  }

  private boolean isMoving(PendingWork motion) {
    return switch (motion) {
      case PendingWork.Held _, PendingWork.Undecided _ -> true;
      case PendingWork.Offered(_, var queue, var polled) ->
          polled ? comesBack(queue) : mayCome(queue);
    };
  }

  private boolean comesBack(RunReads.Queue queue) {
    deserted.remove(queue);
    givenUp.remove(queue);
    return true;
  }

  private boolean mayCome(RunReads.Queue queue) {
    if (givenUp.contains(queue)) {
      return false;
    }
    var now = time.nanos();
    if (now - deserted.computeIfAbsent(queue, _ -> now) < FOR_A_WORKER) {
      return true;
    }
    deserted.remove(queue);
    givenUp.add(queue);
    return false;
  }
}
