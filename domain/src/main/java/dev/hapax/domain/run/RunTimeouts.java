package dev.hapax.domain.run;

import dev.hapax.domain.definition.Definition;
import java.time.Duration;
import java.util.Optional;

/**
 * The times that a run is given, both from its earliest beginning.
 *
 * @param start of its first step; empty = any
 * @param end of the run; empty = that of its definition, if it has one
 */
public record RunTimeouts(Optional<Duration> start, Optional<Duration> end) {
  public static final RunTimeouts NONE = new RunTimeouts(Optional.empty(), Optional.empty());

  public RunTimeouts {
    start = start.map(Definition::requireTimeout);
    end = end.map(Definition::requireTimeout);
  }

  RunTimeouts or(Optional<Duration> defined) {
    return new RunTimeouts(start, end.or(() -> defined));
  }
}
