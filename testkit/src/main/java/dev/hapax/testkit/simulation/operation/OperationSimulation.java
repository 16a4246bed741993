package dev.hapax.testkit.simulation.operation;

import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.SimulatedNode;
import dev.hapax.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** One simulation run of operations: clients, an operator and a sweep on a few keys. */
public final class OperationSimulation {
  private static final int MIN_ACTS = 60;
  private static final int MORE_ACTS = 180;
  private static final int MIN_CLIENTS = 2;
  private static final int MORE_CLIENTS = 4;
  private final Simulation<OperationChecker> simulation;
  private final List<OperationServer> servers;

  /** Creates the nodes that the seed determines, with the service on each. */
  public OperationSimulation(long seed, OperationService.Factory factory) {
    simulation = new Simulation<>(seed, OperationChecker::new);
    servers = simulation.nodes().stream().map(node -> server(node, factory)).toList();
  }

  private OperationServer server(SimulatedNode node, OperationService.Factory factory) {
    var reads = new StoredOperations(simulation, node);
    return new OperationServer(node, factory.on(node, reads, node.timer()), simulation.observer());
  }

  /**
   * Runs the simulation to its end.
   *
   * @return the number of decisions of each kind of outcome
   */
  public Map<String, Integer> run() {
    var random = simulation.random();
    var requests = new Requests(random);
    var actors = new ArrayList<SimulatedActor>();
    IntStream.rangeClosed(1, MIN_CLIENTS + random.below(MORE_CLIENTS))
        .mapToObj(i -> new OperationClient("client-" + i, simulation, servers, requests))
        .forEach(actors::add);
    actors.add(new Operator(simulation, servers, requests));
    actors.add(new SweepActor(simulation, servers, requests));
    simulation.run(actors, MIN_ACTS + random.below(MORE_ACTS));
    for (var server : servers) {
      if (server.service().waiting() > 0) {
        throw new AssertionError("a waiting place was not freed\n" + trace());
      }
    }
    return simulation.observer().counts();
  }

  /** Returns the whole trace. */
  public String trace() {
    return simulation.trace().text();
  }
}
