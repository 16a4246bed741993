package dev.hapax.domain.limit;

import dev.hapax.domain.definition.Rate;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A limit for one value of its key.
 *
 * @param maxRunning the largest that steps or definitions have declared: with fewer runs in it, the
 *     first that waits may have room. 0 = any number
 * @param rate the fastest that they have declared
 * @param last the last turn that was drawn; empty = no run has reached it
 * @param started the last start that counts for the rate
 * @param due when the rate lets the first run start that waits
 */
public record LimitLine(
    LimitKey key,
    int maxRunning,
    Optional<Rate> rate,
    OptionalLong last,
    Optional<Instant> started,
    Optional<Due> due) {
  private static final Comparator<Rate> FASTEST = Comparator.comparing(Rate::interval);

  /** The time at which a run with this turn may start; it is not due before. */
  public record Due(Instant at, long turn) {}

  /** A limit that a run reaches first. */
  static LimitLine of(LimitedStep.Line line) {
    return new LimitLine(
        line.key(),
        line.declared(),
        line.rate(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty());
  }

  LimitLine drawn(long turn, LimitedStep.Line line) {
    var max = maxRunning == 0 || line.declared() == 0 ? 0 : Math.max(maxRunning, line.declared());
    var fastest = Stream.concat(rate.stream(), line.rate().stream()).min(FASTEST);
    return new LimitLine(key, max, fastest, OptionalLong.of(turn), started, due);
  }

  /** The numbers that steps or definitions have declared. */
  public LimitReads.Numbers declared() {
    return LimitReads.Numbers.of(maxRunning, rate);
  }

  /** After a start that counts for the rate. */
  LimitLine started(Instant at) {
    return new LimitLine(key, maxRunning, rate, last, Optional.of(at), Optional.empty());
  }

  LimitLine due(Instant at, long turn) {
    return new LimitLine(key, maxRunning, rate, last, started, Optional.of(new Due(at, turn)));
  }
}
