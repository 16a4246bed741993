package dev.hapax.bench;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What is measured, how often and for how long.
 *
 * @param time of each contestant in a round
 * @param warmUp of each process before the first round, shared by its workloads
 */
record BenchPlan(List<Contestant> contestants, int rounds, Duration time, Duration warmUp) {
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

  List<Contestant> of(Peer peer) {
    return contestants.stream().filter(contestant -> contestant.peer() == peer).toList();
  }

  List<Contestant> paced() {
    return contestants.stream().filter(Contestant::isPaced).toList();
  }

  /** How long it takes, without the starts. */
  Duration total() {
    var turns = (long) rounds * (contestants.size() + paced().size());
    return warmUp.multipliedBy(peers().size()).plus(time.multipliedBy(turns));
  }
}
