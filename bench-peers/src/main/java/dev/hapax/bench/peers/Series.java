package dev.hapax.bench.peers;

import dev.hapax.bench.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** The observations of one contestant in all rounds. */
final class Series {
  private final Contestant contestant;
  private final List<Observation> rounds = new ArrayList<>();
  private final List<Observation> paced = new ArrayList<>();
  private final List<LoadResult> atOneRate = new ArrayList<>();
  private final List<LoadResult> probes = new ArrayList<>();

  Series(Contestant contestant) {
    this.contestant = contestant;
  }

  void addRound(Observation observation) {
    rounds.add(observation);
  }

  void addPaced(Observation observation) {
    paced.add(observation);
  }

  /**
   * Adds the latencies at the rate that several contestants are measured at.
   *
   * @param probe the INSERTs at the same time; empty = the contestant is one
   */
  void addAtOneRate(Observation observation, Optional<LoadResult> probe) {
    atOneRate.add(observation.result());
    probe.ifPresent(probes::add);
  }

  Contestant contestant() {
    return contestant;
  }

  Spread rate() {
    return spread(observation -> observation.result().rate());
  }

  Spread spread(ToDoubleFunction<Observation> figure) {
    return Spread.of(rounds.stream().mapToDouble(figure).toArray());
  }

  /** Returns the ratios round by round, since the machine's load changes between rounds. */
  Spread ratioTo(Series other) {
    var ratios = new double[rounds.size()];
    for (var i = 0; i < ratios.length; i++) {
      ratios[i] = rounds.get(i).result().rate() / other.rounds.get(i).result().rate();
    }
    return Spread.of(ratios);
  }

  /** Returns the rate at half load, if it was measured. */
  Optional<Spread> pacedRate() {
    return paced.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Spread.of(paced.stream().mapToDouble(each -> each.result().rate()).toArray()));
  }

  Histogram latencies() {
    return merged(rounds);
  }

  Histogram pacedLatencies() {
    return merged(paced);
  }

  /** Returns the latencies at the one rate, if they were measured. */
  Optional<Histogram> latenciesAtOneRate() {
    return atOneRate.isEmpty() ? Optional.empty() : Optional.of(sum(atOneRate));
  }

  /** Returns the latencies of the INSERTs beside them. */
  Optional<Histogram> probeLatencies() {
    return probes.isEmpty() ? Optional.empty() : Optional.of(sum(probes));
  }

  private static Histogram merged(List<Observation> observations) {
    return sum(observations.stream().map(Observation::result).toList());
  }

  private static Histogram sum(List<LoadResult> results) {
    var all = results.getFirst().latencies().copy();
    results.stream().skip(1).forEach(each -> all.add(each.latencies()));
    return all;
  }
}
