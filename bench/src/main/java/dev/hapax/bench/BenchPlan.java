package dev.hapax.bench;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What is measured, how often and for how long.
 *
 * @param time of each contestant in a round
 * @param warmUp of each process, at least, before the first round
 */
record BenchPlan(List<Contestant> contestants, int rounds, Duration time, Duration warmUp) {
  private static final int MOST_SHARES = 3;

  BenchPlan {
    contestants = List.copyOf(contestants);
    if (contestants.isEmpty()) {
      throw new IllegalArgumentException("no contestant is left to measure");
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds must be at least 1 (was " + rounds + ")");
    }
    if (!time.isPositive() || warmUp.isNegative()) {
      throw new IllegalArgumentException(
          "time must be more than 0 (was %s), and warm-up not less (was %s)"
              .formatted(time, warmUp));
    }
  }

  Set<Peer> peers() {
    var peers = EnumSet.noneOf(Peer.class);
    contestants.forEach(contestant -> peers.add(contestant.peer()));
    return peers;
  }

  /** Its part of the warm-up of its process, and a third at least: a server has many paths. */
  Duration warmUpOf(Contestant contestant) {
    var inProcess = contestants.stream().filter(each -> each.peer() == contestant.peer()).count();
    return warmUp.dividedBy(Math.min(MOST_SHARES, inProcess));
  }

  List<Contestant> paced() {
    return contestants.stream().filter(Contestant::isPaced).toList();
  }

  /** How long it takes, without the starts. */
  Duration total() {
    var turns = (long) rounds * (contestants.size() + paced().size());
    var warm = contestants.stream().map(this::warmUpOf).reduce(Duration.ZERO, Duration::plus);
    return warm.plus(time.multipliedBy(turns));
  }
}
