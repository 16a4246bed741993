package dev.hapax.testkit.simulation;

/**
 * The probabilities of the faults of a simulation.
 *
 * @param lostRequest a request never arrives
 * @param lostAnswer a response never arrives
 * @param doubled a request arrives twice
 * @param givenUp a caller cancels before the response
 * @param slow a step takes seconds
 * @param overloaded the ledger rejects a batch as overloaded
 * @param refused a batch or read fails without effect
 * @param inDoubt a batch commits but reports a failure
 * @param late a batch reports a failure and commits afterwards
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

  /** Enables each fault with probability 1/2, so that each also occurs without the others. */
  static FaultProfile random(SeededRandom random) {
    return new FaultProfile(
        rate(random),
        rate(random),
        rate(random),
        rate(random),
        rate(random),
        rate(random),
        rate(random),
        rate(random),
        rate(random));
  }

  private static double rate(SeededRandom random) {
    return random.chance(0.5) ? random.below(WORST_PERCENT) / 100.0 : 0;
  }
}
