package dev.hapax.domain;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list.
 *
 * @param next the position from which the next page begins; empty = this is the last page
 * @param <C> a position in the list
 */
public record Page<T, C>(List<T> items, Optional<C> next) {
  public static final int DEFAULT_SIZE = 20;
  public static final int MAX_SIZE = 500;

  /** Returns the page size for a requested one; 0 = default. */
  public static int size(int requested) {
    if (requested < 0) {
      throw new InvalidValueException("must not be negative");
    }
    return requested == 0 ? DEFAULT_SIZE : Math.min(requested, MAX_SIZE);
  }
}
