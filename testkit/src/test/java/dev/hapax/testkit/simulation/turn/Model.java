package dev.hapax.testkit.simulation.turn;

import java.util.List;
import java.util.Optional;

/** A protocol as a finite set of states with the steps between them. */
interface Model {
  Cells initial();

  /** All steps that are possible in a state. */
  List<Step> steps(Cells state);

  /** The rule that a state breaks; empty = none. */
  Optional<Rule> broken(Cells state);

  /** Formats a state for a trace. */
  String describe(Cells state);

  /**
   * A step.
   *
   * @param broken the rule that the step itself breaks; empty = none
   */
  record Step(String name, Cells after, Optional<Rule> broken) {}
}
