package dev.hapax.domain;

import java.time.Instant;
import java.util.Optional;

/** A time range from an inclusive to an exclusive bound; an absent bound is open. */
public record TimeRange(Optional<Instant> from, Optional<Instant> before) {
  public static final TimeRange ALL = new TimeRange(Optional.empty(), Optional.empty());

  public static TimeRange before(Optional<Instant> end) {
    return new TimeRange(Optional.empty(), end);
  }

  public boolean isAll() {
    return from.isEmpty() && before.isEmpty();
  }

  public boolean contains(Instant time) {
    return from.filter(time::isBefore).isEmpty()
        && (before.isEmpty() || time.isBefore(before.get()));
  }
}
