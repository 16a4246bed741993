package dev.hapax.postgres.ledger;

/**
 * Chooses the committer for a command. While few commands are open, the first one takes them all:
 * every batch has the same statements and a flush, so two half batches cost the database more than
 * a whole one. While many are open, each committer takes those of its routes.
 */
final class CommitterChoice {
  private final int committers;
  private final int many;
  private final int few;
  private volatile boolean spreads;

  /**
   * @param committers how many there are
   * @param batchCommands how many commands fit into a batch; half of it is many, a third is few
   */
  CommitterChoice(int committers, int batchCommands) {
    this.committers = committers;
    this.many = batchCommands / 2;
    this.few = batchCommands / 3;
  }

  /**
   * The committer's number. Between few and many it stays as it was, so that rivals keep meeting in
   * one batch.
   *
   * @param route rivals have the same
   * @param open commands that are not answered yet
   * @param firstHangs the first committer is not used
   */
  int choose(Object route, int open, boolean firstHangs) {
    if (spreads && open < few) {
      spreads = false;
    } else if (!spreads && open > many) {
      spreads = true;
    }
    return spreads || firstHangs ? byRoute(route) : 0;
  }

  /** The committer's number when the first one has no room: few commands can be large. */
  int chooseAnother(Object route) {
    spreads = true;
    return byRoute(route);
  }

  /** Whether the first committer takes all commands. */
  boolean isOne() {
    return !spreads;
  }

  private int byRoute(Object route) {
    return Math.floorMod(route.hashCode(), committers);
  }
}
