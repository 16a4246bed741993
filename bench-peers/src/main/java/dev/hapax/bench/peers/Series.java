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

  Series(Contestant contestant) {
    this.contestant = contestant;
  }

  void addRound(Observation observation) {
    rounds.add(observation);
  }

  void addPaced(Observation observation) {
    paced.add(observation);
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

  private static Histogram merged(List<Observation> observations) {
    var all = observations.getFirst().result().latencies().copy();
    observations.stream().skip(1).forEach(each -> all.add(each.result().latencies()));
    return all;
  }
}
