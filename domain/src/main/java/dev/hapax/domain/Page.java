package dev.hapax.domain;

import java.util.List;
import java.util.Optional;

/**
 * A part of a list.
 *
 * @param next where the next part begins; empty = this is the last
 * @param <C> a position in the list
 */
public record Page<T, C>(List<T> items, Optional<C> next) {
  public static final int DEFAULT_SIZE = 20;
  public static final int MAX_SIZE = 500;

  /** The page size to use for the one a caller asked for; 0 = default. */
  public static int size(int asked) {
    if (asked < 0) {
      throw new InvalidValueException("must not be negative");
    }
    return asked == 0 ? DEFAULT_SIZE : Math.min(asked, MAX_SIZE);
  }
}
