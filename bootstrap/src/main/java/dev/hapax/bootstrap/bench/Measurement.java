package dev.hapax.bootstrap.bench;

import java.util.ArrayList;
import java.util.List;

/** One of the things measured, round after round. */
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

  double round() throws Exception {
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

  double median() {
    return median(rounds);
  }

  double least() {
    return rounds.stream().min(Double::compare).orElseThrow();
  }

  double most() {
    return rounds.stream().max(Double::compare).orElseThrow();
  }

  /** The median of the ratios round by round: what the machine did in a round, it did to both. */
  double ratioTo(Measurement other) {
    var ratios = new ArrayList<Double>();
    for (var i = 0; i < rounds.size(); i++) {
      ratios.add(rounds.get(i) / other.rounds.get(i));
    }
    return median(ratios);
  }

  private static double median(List<Double> values) {
    var sorted = values.stream().sorted().toList();
    var middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
