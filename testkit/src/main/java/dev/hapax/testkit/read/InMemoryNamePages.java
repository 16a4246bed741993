package dev.hapax.testkit.read;

import dev.hapax.domain.Page;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Pages of a list by name. */
public final class InMemoryNamePages {
  private InMemoryNamePages() {}

  /**
   * A part of a list.
   *
   * @param after the name before the first; empty = from the beginning
   */
  public static <T> Page<T, String> page(
      List<T> all, Function<T, String> name, int size, Optional<String> after) {
    var rest =
        all.stream()
            .sorted(Comparator.comparing(name))
            .filter(item -> after.isEmpty() || name.apply(item).compareTo(after.get()) > 0)
            .limit(size + 1L)
            .toList();
    return rest.size() > size
        ? new Page<>(rest.subList(0, size), Optional.of(name.apply(rest.get(size - 1))))
        : new Page<>(rest, Optional.empty());
  }
}
