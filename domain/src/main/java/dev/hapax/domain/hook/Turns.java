package dev.hapax.domain.hook;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * The numbers of a token's line.
 *
 * @param last the last turn that was drawn; empty = no run has ever waited
 * @param waiting how many runs wait at most: a run whose wait ended otherwise than by its turn
 *     still counts
 */
public record Turns(OptionalLong last, int waiting) {
  public static final Turns NONE = new Turns(OptionalLong.empty(), 0);

  /**
   * Draws the turn of a run that joins these lines: larger than each earlier one in any of them. A
   * number per line would let two runs wait for each other.
   */
  static long next(Collection<Turns> lines, Instant now) {
    return next(lines.stream().flatMapToLong(line -> line.last().stream()), now);
  }

  /** The same by the last turns of the lines. */
  public static long next(LongStream lasts, Instant now) {
    var micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
    return lasts.reduce(micros, (turn, last) -> Math.max(turn, last + 1));
  }

  Turns joined(long turn) {
    return new Turns(OptionalLong.of(turn), waiting + 1);
  }

  Turns counted(int runs) {
    return new Turns(last, Math.min(runs, waiting));
  }
}
