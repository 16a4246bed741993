package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.ResolveOperation;
import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;

/** A simulated operator that resolves operations occasionally, and repeats earlier resolutions. */
final class Operator implements SimulatedActor {
  private static final int REMEMBERED = 12;
  private final Simulation<?> simulation;
  private final List<OperationServer> servers;
  private final Requests requests;
  private final List<Order> sent = new ArrayList<>();

  Operator(Simulation<?> simulation, List<OperationServer> servers, Requests requests) {
    this.simulation = simulation;
    this.servers = servers;
    this.requests = requests;
  }

  private record Order(
      OperationId id, ResolveOperation.Request request, ResolveOperation.Verdict verdict) {}

  @Override
  public void act() {
    var random = simulation.random();
    if (random.chance(0.9)) {
      return;
    }
    var order = !sent.isEmpty() && random.chance(0.4) ? recent() : draw();
    var server = random.pick(servers);
    simulation
        .network()
        .call(
            server.node(),
            () ->
                server.submit(
                    new ResolveOperation(order.id, random.number(), order.request, order.verdict)),
            outcome ->
                simulation
                    .trace()
                    .add(
                        order.id, "operator", () -> OperationWords.format("receives %s", outcome)));
  }

  private Order recent() {
    return sent.get(sent.size() - 1 - simulation.random().below(Math.min(sent.size(), REMEMBERED)));
  }

  private Order draw() {
    var verdict =
        switch (simulation.random().below(4)) {
          case 0 -> new ResolveOperation.Verdict.Complete(requests.result());
          case 1 -> new ResolveOperation.Verdict.Reject(requests.failure());
          default -> new ResolveOperation.Verdict.Release();
        };
    var order =
        new Order(
            requests.id(),
            new ResolveOperation.Request(
                "order-" + (sent.size() + 1), new Attribution("ann", "asked", PrincipalName.NONE)),
            verdict);
    sent.add(order);
    return order;
  }
}
