package dev.hapax.postgres.read;

import java.util.EnumSet;
import java.util.List;

/**
 * The stored codes of the values of an enum: each one's position in a list, from 1. The list, not
 * the enum, has the order, so that a value can be moved in the domain. New values go to its end.
 */
public final class StoredCodes<E extends Enum<E>> {
  private final List<E> values;

  /**
   * Makes codes.
   *
   * @throws IllegalArgumentException unless each value of the enum has exactly one code
   */
  public StoredCodes(Class<E> type, List<E> values) {
    this.values = List.copyOf(values);
    var missing = EnumSet.allOf(type);
    missing.removeAll(this.values);
    if (!missing.isEmpty() || values.size() != type.getEnumConstants().length) {
      throw new IllegalArgumentException(
          "each %s needs one code: missing %s in %s"
              .formatted(type.getSimpleName(), missing, this.values));
    }
  }

  public short code(E value) {
    return (short) (values.indexOf(value) + 1);
  }

  public E value(int code) {
    return values.get(code - 1);
  }

  /** Returns the highest code. */
  public int last() {
    return values.size();
  }
}
