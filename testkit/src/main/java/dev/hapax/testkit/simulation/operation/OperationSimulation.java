package dev.hapax.testkit.simulation.operation;

import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.SimulatedNode;
import dev.hapax.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Clients, an operator and a janitor on a few keys: one run of one seed. */
public final class OperationSimulation {
  private static final int MIN_ACTS = 60;
  private static final int MORE_ACTS = 180;
  private static final int MIN_CLIENTS = 2;
  private static final int MORE_CLIENTS = 4;
  private final Simulation<OperationChecker> simulation;
  private final List<OperationServer> servers;

  /** Sets up what the seed says, with the service on every node. */
  public OperationSimulation(long seed, OperationService.Factory factory) {
    simulation = new Simulation<>(seed, OperationChecker::new);
    servers = simulation.nodes().stream().map(node -> server(node, factory)).toList();
  }

  private OperationServer server(SimulatedNode node, OperationService.Factory factory) {
    var reads = new StoredOperations(simulation, node);
    return new OperationServer(node, factory.on(node, reads, node.timer()), simulation.witness());
  }

  /**
   * Runs to the end.
   *
   * @return how often each kind of outcome was decided
   */
  public Map<String, Integer> run() {
    var dice = simulation.dice();
    var requests = new Requests(dice);
    var actors = new ArrayList<SimulatedActor>();
    IntStream.rangeClosed(1, MIN_CLIENTS + dice.below(MORE_CLIENTS))
        .mapToObj(i -> new OperationClient("client-" + i, simulation, servers, requests))
        .forEach(actors::add);
    actors.add(new Operator(simulation, servers, requests));
    actors.add(new SweepActor(simulation, servers, requests));
    simulation.run(actors, MIN_ACTS + dice.below(MORE_ACTS));
    for (var server : servers) {
      if (server.service().waiting() > 0) {
        throw new AssertionError("a place was not freed\n" + trace());
      }
    }
    return simulation.witness().seen();
  }

  /** All that happened. */
  public String trace() {
    return simulation.trace().text();
  }
}
