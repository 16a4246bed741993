package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.operation.ForgetOperation;
import dev.hapax.domain.operation.Operation;
import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.Simulation;
import java.util.List;
import java.util.Map;

/** Sweeps what is released, and drops answers that are past their time to live. */
record SweepActor(Simulation<?> simulation, List<OperationServer> servers, Requests requests)
    implements SimulatedActor {
  @Override
  public void act() {
    var server = simulation.dice().pick(servers);
    switch (simulation.dice().below(3)) {
      case 0 -> drop();
      case 1 -> simulation.wire().call(server.node(), () -> server.service().sweep(), _ -> {});
      default -> {
        // a proposal of somebody who looked long ago
        var id = requests.id();
        simulation
            .wire()
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
