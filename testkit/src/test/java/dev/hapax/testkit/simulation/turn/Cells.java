package dev.hapax.testkit.simulation.turn;

import java.util.Arrays;

/** The state of a model: small numbers, compared by value. */
final class Cells {
  private final byte[] values;

  Cells(int size) {
    this(new byte[size]);
  }

  private Cells(byte[] values) {
    this.values = values;
  }

  Cells copy() {
    return new Cells(values.clone());
  }

  int get(int cell) {
    return values[cell];
  }

  void set(int cell, int value) {
    values[cell] = (byte) value;
  }

  boolean has(int cell, int bit) {
    return (values[cell] & 1 << bit) != 0;
  }

  void add(int cell, int bits) {
    values[cell] |= (byte) bits;
  }

  void remove(int cell, int bits) {
    values[cell] &= (byte) ~bits;
  }

  int max(int from, int to) {
    var max = 0;
    for (var cell = from; cell < to; cell++) {
      max = Math.max(max, values[cell]);
    }
    return max;
  }

  /** Renumbers the cells of a range that are not 0, since only their order counts. */
  void rank(int from, int to) {
    var used = 0L;
    for (var cell = from; cell < to; cell++) {
      used |= 1L << values[cell];
    }
    for (var cell = from; cell < to; cell++) {
      if (values[cell] != 0) {
        values[cell] = (byte) Long.bitCount(used >> 1 & (1L << values[cell]) - 1);
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cells cells && Arrays.equals(values, cells.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
