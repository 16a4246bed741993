package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;

/** Renews a lease; a longer one that still runs is kept. */
public record HeartbeatTask(TaskClaim claim, Duration lease)
    implements RunCommand<HeartbeatOutcome> {

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public HeartbeatOutcome decide(World world, Instant now) {
    var found = world.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    if (held.isEmpty()) {
      return new TaskLost(found);
    }
    var renewed = held.get().renewedUntil(now.plus(lease));
    var run = found.orElseThrow().moved(renewed);
    world.put(run.id(), run);
    return new HeartbeatOutcome.Renewed(run, Duration.between(now, renewed.leaseUntil()));
  }
}
