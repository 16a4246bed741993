package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Optional;

/** Frees a step whose worker went before it got to know that it has it. */
public record GiveBackTask(TaskClaim claim) implements RunCommand<Optional<Run>> {

  @Override
  public RunId run() {
    return claim.run();
  }

  /** The run as it is; empty = there is none. */
  @Override
  public Optional<Run> decide(World world, Instant now) {
    var found = world.get(claim.run());
    if (found.flatMap(run -> run.heldBy(claim)).isEmpty()) {
      return found;
    }
    var run = found.orElseThrow().then(new RunChange.LeaseGivenBack(), now, By.SERVER);
    world.put(run.id(), run);
    return Optional.of(run);
  }
}
