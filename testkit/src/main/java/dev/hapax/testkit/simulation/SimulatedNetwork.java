package dev.hapax.testkit.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The network between callers and nodes: requests and responses are delayed, lost and duplicated.
 */
public final class SimulatedNetwork {
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);
  private final Simulation<?> simulation;
  private int open;

  SimulatedNetwork(Simulation<?> simulation) {
    this.simulation = simulation;
  }

  /**
   * Calls a node.
   *
   * @param request executed by the node each time the call arrives
   * @param response receives each outcome that arrives; not failures and losses
   */
  public <O> void call(
      SimulatedNode node,
      Supplier<CompletableFuture<? extends O>> request,
      Consumer<? super O> response) {
    var random = simulation.random();
    if (random.chance(simulation.faults().lostRequest())) {
      return;
    }
    var times = random.chance(simulation.faults().doubled()) ? 2 : 1;
    for (var i = 0; i < times; i++) {
      node.after(simulation.delay(), () -> arrive(request, response));
    }
  }

  private <O> void arrive(
      Supplier<CompletableFuture<? extends O>> request, Consumer<? super O> response) {
    open++;
    var answer = request.get();
    if (simulation.random().chance(simulation.faults().givenUp())) {
      simulation.outside(simulation.random().upTo(MAX_WAIT), () -> answer.cancel(false));
    }
    var _ =
        answer.whenComplete(
            (outcome, failure) -> {
              open--;
              if (failure == null
                  && !simulation.random().chance(simulation.faults().lostAnswer())) {
                simulation.outside(simulation.delay(), () -> response.accept(outcome));
              }
            });
  }

  /** The number of calls that have arrived but not been answered. */
  int open() {
    return open;
  }
}
