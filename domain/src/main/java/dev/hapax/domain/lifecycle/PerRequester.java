package dev.hapax.domain.lifecycle;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A value of a step for each requester.
 *
 * @param all for requesters that are not named
 * @param named by requester
 */
public record PerRequester<T>(Optional<T> all, Map<String, T> named) {
  public PerRequester {
    named = Map.copyOf(named);
  }

  public static <T> PerRequester<T> none() {
    return new PerRequester<>(Optional.empty(), Map.of());
  }

  public Optional<T> of(String requester) {
    return Optional.ofNullable(named.get(requester)).or(() -> all);
  }

  <R> PerRequester<R> map(Function<T, R> to) {
    var mapped = new HashMap<String, R>();
    named.forEach((requester, value) -> mapped.put(requester, to.apply(value)));
    return new PerRequester<>(all.map(to), mapped);
  }

  public Stream<T> values() {
    return Stream.concat(all.stream(), named.values().stream());
  }

  /** One value with its requester; empty = all requesters that are not named. */
  public record Entry<T>(Optional<String> requester, T value) {}

  /** The values in a stable order. */
  public Stream<Entry<T>> entries() {
    return Stream.concat(
        all.map(value -> new Entry<>(Optional.<String>empty(), value)).stream(),
        new TreeMap<>(named)
            .entrySet().stream()
                .map(entry -> new Entry<>(Optional.of(entry.getKey()), entry.getValue())));
  }
}
