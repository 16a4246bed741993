package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.operation.ForgetOperation;
import dev.hapax.domain.operation.Operation;
import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.Simulation;
import java.util.List;
import java.util.Map;

/** A simulated sweep of released operations, and of results past their time to live. */
record SweepActor(Simulation<?> simulation, List<OperationServer> servers, Requests requests)
    implements SimulatedActor {
  @Override
  public void act() {
    var server = simulation.random().pick(servers);
    switch (simulation.random().below(3)) {
      case 0 -> drop();
      case 1 -> simulation.network().call(server.node(), () -> server.service().sweep(), _ -> {});
      default -> {
        // a stale proposal of a sweep
        var id = requests.id();
        simulation
            .network()
            .call(server.node(), () -> server.submit(new ForgetOperation(id)), _ -> {});
      }
    }
  }

  private void drop() {
    StoredOperations.all(simulation)
        .filter(entry -> entry.getValue().replay().isPresent())
        .filter(entry -> isPast(entry.getValue()))
        .map(Map.Entry::getKey)
        .toList()
        .forEach(simulation.store()::remove);
  }

  private boolean isPast(Operation operation) {
    return !simulation.now().isBefore(operation.grant().expiresAt());
  }
}
