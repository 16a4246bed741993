package dev.hapax.testkit.simulation;

import java.time.Duration;

/** Stops nodes, and lets time go by at once. */
record Nemesis(Simulation<?> simulation) implements SimulatedActor {
  private static final Duration STOP = Duration.ofSeconds(30);

  @Override
  public void act() {
    if (simulation.dice().chance(0.5)) {
      simulation.stop(simulation.dice().pick(simulation.nodes()), simulation.dice().upTo(STOP));
    } else {
      simulation.jump(
          simulation
              .dice()
              .upTo(
                  simulation
                      .dice()
                      .pick(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ofHours(1))));
    }
  }
}
