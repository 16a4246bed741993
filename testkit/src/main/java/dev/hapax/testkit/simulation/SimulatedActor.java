package dev.hapax.testkit.simulation;

/** Somebody who does something now and then. */
@FunctionalInterface
public interface SimulatedActor {
  /** One thing, drawn from the dice; never waits for what comes of it. */
  void act();
}
