package dev.hapax.bench;

import java.util.ArrayList;
import java.util.List;

/** One row of a result: a figure that is measured round after round. */
final class Measurement {
  private final String name;
  private final String unit;
  private final Measure measure;
  private final List<Double> rounds = new ArrayList<>();

  /** Measures once. */
  interface Measure {
    double once() throws Exception;
  }

  Measurement(String name, String unit, Measure measure) {
    this.name = name;
    this.unit = unit;
    this.measure = measure;
  }

  void warmUp() throws Exception {
    measure.once();
  }

  double measureRound() throws Exception {
    var value = measure.once();
    rounds.add(value);
    return value;
  }

  String name() {
    return name;
  }

  String unit() {
    return unit;
  }

  Spread spread() {
    return Spread.of(rounds.stream().mapToDouble(Double::doubleValue).toArray());
  }

  double median() {
    return spread().median();
  }

  /** The median of the ratios round by round, since the machine's load changes between rounds. */
  double ratioTo(Measurement other) {
    var ratios = new double[rounds.size()];
    for (var i = 0; i < ratios.length; i++) {
      ratios[i] = rounds.get(i) / other.rounds.get(i);
    }
    return Spread.of(ratios).median();
  }
}
