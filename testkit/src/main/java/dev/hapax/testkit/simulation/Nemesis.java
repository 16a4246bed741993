package dev.hapax.testkit.simulation;

import java.time.Duration;

/** A simulated actor that pauses nodes and makes the clock jump. */
record Nemesis(Simulation<?> simulation) implements SimulatedActor {
  private static final Duration STOP = Duration.ofSeconds(30);

  @Override
  public void act() {
    if (simulation.random().chance(0.5)) {
      simulation.stop(simulation.random().pick(simulation.nodes()), simulation.random().upTo(STOP));
    } else {
      simulation.jump(
          simulation
              .random()
              .upTo(
                  simulation
                      .random()
                      .pick(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ofHours(1))));
    }
  }
}
