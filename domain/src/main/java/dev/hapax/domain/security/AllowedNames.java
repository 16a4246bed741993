package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The names that a grant covers: all of them, or those listed.
 *
 * @param listed empty = all
 */
public record AllowedNames(Set<String> listed) {
  public static final AllowedNames ALL = new AllowedNames(Set.of());

  private static final String ALL_TEXT = "*";
  private static final String SEPARATOR = ",";

  public AllowedNames {
    listed = Set.copyOf(listed);
  }

  public boolean isAll() {
    return listed.isEmpty();
  }

  public boolean includes(String name) {
    return isAll() || listed.contains(name);
  }

  /**
   * Parses {@code *} or names with commas between them.
   *
   * @param check returns a valid name, or throws
   */
  static AllowedNames parse(String text, UnaryOperator<String> check) {
    if (text.equals(ALL_TEXT)) {
      return ALL;
    }
    var names = new TreeSet<String>();
    Arrays.stream(text.split(SEPARATOR, -1)).map(check).forEach(names::add);
    if (names.contains(ALL_TEXT)) {
      throw new InvalidValueException("must be * alone, or names");
    }
    return new AllowedNames(names);
  }

  /** Returns the listed names in order; empty = all. */
  public List<String> inOrder() {
    return listed.stream().sorted().toList();
  }

  /** Returns the text form, with the names in order. */
  @Override
  public String toString() {
    return isAll() ? ALL_TEXT : String.join(SEPARATOR, inOrder());
  }
}
