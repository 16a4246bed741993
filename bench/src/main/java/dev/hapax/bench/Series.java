package dev.hapax.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** One contestant, round after round. */
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

  /** The ratios round by round: what the machine did in a round, it did to both. */
  Spread ratioTo(Series other) {
    var ratios = new double[rounds.size()];
    for (var i = 0; i < ratios.length; i++) {
      ratios[i] = rounds.get(i).result().rate() / other.rounds.get(i).result().rate();
    }
    return Spread.of(ratios);
  }

  /** The rate at half load, if that was measured. */
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
