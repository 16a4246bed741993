package dev.hapax.bench.peers;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The contestants of a bench, with the number and length of its rounds.
 *
 * @param time of each contestant in a round
 * @param warmUp minimum load on each process before the first round
 */
record BenchPlan(List<Contestant> contestants, int rounds, Duration time, Duration warmUp) {
  private static final int MAX_SHARES = 3;

  BenchPlan {
    contestants = List.copyOf(contestants);
    if (contestants.isEmpty()) {
      throw new IllegalArgumentException("no contestant matches --only");
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds must be at least 1 (was " + rounds + ")");
    }
    if (!time.isPositive() || warmUp.isNegative()) {
      throw new IllegalArgumentException(
          "seconds must be more than 0 (was %s), and warm-up at least 0s (was %s)"
              .formatted(time, warmUp));
    }
  }

  Set<Peer> peers() {
    var peers = EnumSet.noneOf(Peer.class);
    contestants.forEach(contestant -> peers.add(contestant.peer()));
    return peers;
  }

  /** Returns the warm-up of one contestant: its share of its process, at least a third. */
  Duration warmUpOf(Contestant contestant) {
    var inProcess = contestants.stream().filter(each -> each.peer() == contestant.peer()).count();
    return warmUp.dividedBy(Math.min(MAX_SHARES, inProcess));
  }

  List<Contestant> paced() {
    return contestants.stream().filter(Contestant::isPaced).toList();
  }

  /** Returns those that are measured at half of the peak of DBOS; none if it does not take part. */
  List<Contestant> atOneRate() {
    return contestants.contains(Contestants.DBOS_ONE)
        ? Contestants.AT_ONE_RATE.stream().filter(contestants::contains).toList()
        : List.of();
  }

  /** Returns the duration of all measurements, without starting processes. */
  Duration total() {
    var turns = contestants.size() + paced().size() + atOneRate().size();
    var warm =
        Stream.concat(contestants.stream(), paced().stream())
            .map(this::warmUpOf)
            .reduce(Duration.ZERO, Duration::plus);
    return warm.plus(time.multipliedBy((long) rounds * turns));
  }
}
