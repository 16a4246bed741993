package dev.hapax.testkit.simulation;

/** An actor of a simulation, such as a client or an operator. */
@FunctionalInterface
public interface SimulatedActor {
  /** Performs one random action, without waiting for its result. */
  void act();
}
