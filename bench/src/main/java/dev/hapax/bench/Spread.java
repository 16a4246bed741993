package dev.hapax.bench;

import java.util.Arrays;

/** The median of some values, with the least and the greatest of them. */
public record Spread(double median, double least, double most) {

  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("values must not be empty");
    }
    var sorted = values.clone();
    Arrays.sort(sorted);
    var middle = sorted.length / 2;
    var median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
