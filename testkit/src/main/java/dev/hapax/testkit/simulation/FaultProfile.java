package dev.hapax.testkit.simulation;

/**
 * How often what goes wrong; all are probabilities.
 *
 * @param lostRequest of a call that never arrives
 * @param lostAnswer of an answer that never arrives
 * @param doubled of a call that arrives twice
 * @param givenUp of a caller that goes away before the answer
 * @param slow of anything that takes seconds
 * @param overloaded of a batch that is not accepted
 * @param refused of a batch or a read that fails, and nothing happened
 * @param inDoubt of a batch that is committed and said to have failed
 * @param late of a batch that is said to have failed and is committed afterwards
 */
public record FaultProfile(
    double lostRequest,
    double lostAnswer,
    double doubled,
    double givenUp,
    double slow,
    double overloaded,
    double refused,
    double inDoubt,
    double late) {
  public static final FaultProfile CALM = new FaultProfile(0, 0, 0, 0, 0, 0, 0, 0, 0);
  private static final int WORST_PERCENT = 20;

  /** Some things go wrong and others do not, so that each is also seen without the others. */
  static FaultProfile draw(SeededRandom dice) {
    return new FaultProfile(
        rate(dice),
        rate(dice),
        rate(dice),
        rate(dice),
        rate(dice),
        rate(dice),
        rate(dice),
        rate(dice),
        rate(dice));
  }

  private static double rate(SeededRandom dice) {
    return dice.chance(0.5) ? dice.below(WORST_PERCENT) / 100.0 : 0;
  }
}
