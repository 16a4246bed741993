package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Takes back one delivery of a task that did not reach its worker. The step is free when none is
 * left: another call with the same attempt id may have been answered with it meanwhile. Sent once
 * for each delivery, since it cannot tell whose delivery it takes back.
 *
 * @param delay how long the step is not offered again
 */
public record ReturnUndeliveredTask(TaskClaim claim, Duration delay)
    implements RunCommand<Optional<Run>> {

  /** The step is offered again at once. */
  public ReturnUndeliveredTask(TaskClaim claim) {
    this(claim, Duration.ZERO);
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  /** The run, if this freed its step. */
  @Override
  public Optional<Run> decide(World world, Instant now) {
    var found = world.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    if (held.isEmpty()) {
      return Optional.empty();
    }
    var before = found.orElseThrow();
    var left = held.get().withoutDelivery();
    var run =
        left.map(before::moved)
            .orElseGet(() -> new RunProgression(now).released(before, delay, Actor.SERVER));
    world.put(run.id(), run);
    return left.isPresent() ? Optional.empty() : Optional.of(run);
  }
}
