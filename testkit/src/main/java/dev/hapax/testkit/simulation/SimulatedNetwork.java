package dev.hapax.testkit.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** How callers reach nodes: calls and answers are delayed, lost and doubled. */
public final class SimulatedNetwork {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private final Simulation<?> simulation;
  private int open;

  SimulatedNetwork(Simulation<?> simulation) {
    this.simulation = simulation;
  }

  /**
   * Calls a node.
   *
   * @param request what the node does each time the call arrives
   * @param told hears each outcome that comes back; of failures and losses it hears nothing
   */
  public <O> void call(
      SimulatedNode node,
      Supplier<CompletableFuture<? extends O>> request,
      Consumer<? super O> told) {
    var dice = simulation.dice();
    if (dice.chance(simulation.weather().lostRequest())) {
      return;
    }
    var times = dice.chance(simulation.weather().doubled()) ? 2 : 1;
    for (var i = 0; i < times; i++) {
      node.after(simulation.delay(), () -> arrive(request, told));
    }
  }

  private <O> void arrive(
      Supplier<CompletableFuture<? extends O>> request, Consumer<? super O> told) {
    open++;
    var answer = request.get();
    if (simulation.dice().chance(simulation.weather().givenUp())) {
      simulation.outside(simulation.dice().upTo(PATIENCE), () -> answer.cancel(false));
    }
    var _ =
        answer.whenComplete(
            (outcome, failure) -> {
              open--;
              if (failure == null && !simulation.dice().chance(simulation.weather().lostAnswer())) {
                simulation.outside(simulation.delay(), () -> told.accept(outcome));
              }
            });
  }

  /** How many calls have arrived and not been answered. */
  int open() {
    return open;
  }
}
