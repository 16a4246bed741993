package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import java.time.Instant;
import java.util.Optional;

/**
 * When the server fails a run that has not ended, in whatever phase it is.
 *
 * @param start unless its first step has started; empty = it has, or it has any time. It is before
 *     the end
 * @param end empty = never
 */
public record Deadlines(Optional<Instant> start, Optional<Instant> end) {
  public static final Deadlines NONE = new Deadlines(Optional.empty(), Optional.empty());
  public static final Failure NOT_STARTED =
      new Failure(
          "NOT_STARTED_IN_TIME",
          "the first step did not start before the start timeout",
          Optional.empty());
  public static final Failure TIMEOUT =
      new Failure("RUN_TIMEOUT", "the run did not end before its deadline", Optional.empty());

  public Deadlines {
    var ends = end;
    start = start.filter(at -> ends.filter(last -> !at.isBefore(last)).isEmpty());
  }

  /** Those of a new run. */
  static Deadlines of(RunOrigin origin) {
    var timeouts = origin.parameters().timeouts();
    return new Deadlines(
        timeouts.start().map(origin.notBefore()::plus),
        timeouts.end().map(origin.notBefore()::plus));
  }

  /**
   * Those of a run of which only the {@linkplain #next next} one is stored. A server that does not
   * know them may have started it, and stored none.
   */
  public static Deadlines of(
      RunOrigin origin, Optional<Instant> startedAt, Optional<Instant> next) {
    var first = of(origin);
    if (first.start().isEmpty() || !first.start().equals(next)) {
      return new Deadlines(Optional.empty(), next);
    }
    return startedAt.isEmpty() ? first : first.started();
  }

  /** The earlier one. */
  public Optional<Instant> next() {
    return start.or(() -> end);
  }

  /** Why the run fails now; empty = it has time left. */
  Optional<Failure> missed(Instant now) {
    return next()
        .filter(at -> !now.isBefore(at))
        .map(_ -> start.isPresent() ? NOT_STARTED : TIMEOUT);
  }

  Deadlines started() {
    return new Deadlines(Optional.empty(), end);
  }

  /** Those of a run that continues after its failure: it has its whole time again. */
  Deadlines reopened(RunOrigin origin, Instant now) {
    return new Deadlines(Optional.empty(), origin.parameters().timeouts().end().map(now::plus));
  }
}
