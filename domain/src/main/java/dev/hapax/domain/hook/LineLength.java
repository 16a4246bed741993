package dev.hapax.domain.hook;

/**
 * How many runs waited for a token, or at a limit, when its line was loaded. Never written.
 *
 * @param last the last turn of the line at that time
 */
public record LineLength(int waiting, long last) {
  /** The number now, with those that joined the line since. */
  public int of(Line line) {
    return waiting + Math.toIntExact(line.places().filter(place -> place.turn() > last).count());
  }
}
