package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.ResolveOperation;
import dev.hapax.domain.operation.Subject;
import dev.hapax.testkit.simulation.Actor;
import dev.hapax.testkit.simulation.Simulation;
import java.util.List;
import java.util.Optional;

/** Resolves what it finds now and then; sends the same again. */
final class Operator implements Actor {
  private final Simulation<?> simulation;
  private final List<OperationServer> servers;
  private final Requests requests;
  private Optional<Order> last = Optional.empty();
  private int orders;

  Operator(Simulation<?> simulation, List<OperationServer> servers, Requests requests) {
    this.simulation = simulation;
    this.servers = servers;
    this.requests = requests;
  }

  private record Order(
      OperationId id, Subject.Resolution resolution, ResolveOperation.Verdict verdict) {}

  @Override
  public void act() {
    var dice = simulation.dice();
    if (dice.chance(0.9)) {
      return;
    }
    var order = last.filter(_ -> dice.chance(0.4)).orElseGet(this::draw);
    last = Optional.of(order);
    var server = dice.pick(servers);
    simulation
        .wire()
        .call(
            server.node(),
            () ->
                server.submit(
                    new ResolveOperation(order.id, dice.number(), order.resolution, order.verdict)),
            outcome ->
                simulation
                    .trace()
                    .add(order.id, "operator", () -> OperationWords.format("hears %s", outcome)));
  }

  private Order draw() {
    orders++;
    var verdict =
        switch (simulation.dice().below(4)) {
          case 0 -> new ResolveOperation.Verdict.Complete(requests.result());
          case 1 -> new ResolveOperation.Verdict.Reject(requests.failure());
          default -> new ResolveOperation.Verdict.Release();
        };
    return new Order(requests.id(), new Subject.Resolution("order-" + orders, "asked"), verdict);
  }
}
