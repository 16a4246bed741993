package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The names that a grant covers. */
public sealed interface AllowedNames {
  /** Every name. */
  record All() implements AllowedNames {
    private static final String TEXT = "*";

    @Override
    public boolean includes(String name) {
      return true;
    }

    @Override
    public List<String> inOrder() {
      return List.of(TEXT);
    }

    @Override
    public String toString() {
      return TEXT;
    }
  }

  /** These names; at least one, so that a filter that leaves none cannot open everything. */
  record Listed(Set<String> names) implements AllowedNames {
    private static final String SEPARATOR = ",";

    public Listed {
      names = Set.copyOf(names);
      if (names.isEmpty()) {
        throw new InvalidValueException("needs a name, or * for all");
      }
    }

    @Override
    public boolean includes(String name) {
      return names.contains(name);
    }

    @Override
    public List<String> inOrder() {
      return names.stream().sorted().toList();
    }

    /** Returns the text form, with the names in order. */
    @Override
    public String toString() {
      return inOrder().stream().collect(Collectors.joining(SEPARATOR));
    }
  }

  boolean includes(String name);

  default boolean isAll() {
    return this instanceof All;
  }

  /** Returns the names in order; {@code *} alone = all. */
  List<String> inOrder();

  /**
   * Parses {@code *} or names with commas between them.
   *
   * @param check returns a valid name, or throws
   */
  static AllowedNames parse(String text, UnaryOperator<String> check) {
    if (text.equals(All.TEXT)) {
      return new All();
    }
    var names = new TreeSet<String>();
    Arrays.stream(text.split(Listed.SEPARATOR, -1)).map(check).forEach(names::add);
    if (names.contains(All.TEXT)) {
      throw new InvalidValueException("must be * alone, or names");
    }
    return new Listed(names);
  }
}
