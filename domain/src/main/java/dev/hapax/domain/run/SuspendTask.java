package dev.hapax.domain.run;

import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Optional;

/**
 * Lets a step wait without a worker, for whichever comes first; then it is offered to workers
 * again, as the same attempt.
 *
 * @param timer a time, or a duration that the database's clock counts
 * @param signal one that this lets pass
 */
public record SuspendTask(
    TaskClaim claim,
    Optional<StepDefinition.Timer> timer,
    Optional<SignalFilter> signal,
    Optional<Json.Obj> patch)
    implements RunCommand<SuspendTaskOutcome> {

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public int size() {
    return SIZE + patch.map(Json::size).orElse(0);
  }

  @Override
  public SuspendTaskOutcome decide(World world, Instant now) {
    var found = world.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var by = Actor.holder(held.get().grant());
    var until = timer.map(wait -> wait.end(now));
    var suspended =
        found.orElseThrow().then(new RunChange.StepSuspended(until, signal, patch), now, by);
    if (suspended.state().size() > Run.MAX_STATE) {
      return new SuspendTaskOutcome.StateTooLarge();
    }
    var run = new RunProgression(now).go(suspended);
    world.put(run.id(), run);
    return new SuspendTaskOutcome.Suspended(run, false);
  }
}
