package dev.hapax.bench;

import java.util.Arrays;

/** The median of some values, and how far they lie apart. */
record Spread(double median, double least, double most) {

  static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no value");
    }
    var sorted = values.clone();
    Arrays.sort(sorted);
    var middle = sorted.length / 2;
    var median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
