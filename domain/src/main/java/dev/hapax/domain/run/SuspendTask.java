package dev.hapax.domain.run;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;

/**
 * Suspends a step until a time or a signal, whichever comes first; then the same attempt is offered
 * to workers again.
 *
 * @param timer a time, or a duration by the database's clock
 * @param signal selects the signals that end the wait
 * @param principal of the caller
 */
public record SuspendTask(
    TaskClaim claim,
    Optional<StepDefinition.Timer> timer,
    Optional<SignalFilter> signal,
    Optional<Json.Obj> patch,
    PrincipalName principal)
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
  public SuspendTaskOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var holder = Actor.holder(held.get().grant(), principal);
    var until = timer.map(wait -> wait.end(now));
    var suspended =
        found.orElseThrow().then(new RunChange.StepSuspended(until, signal, patch), now, holder);
    if (suspended.state().size() > Run.MAX_STATE) {
      return new SuspendTaskOutcome.StateTooLarge();
    }
    var run = new RunProgression(now).proceed(suspended);
    records.put(run.id(), run);
    return new SuspendTaskOutcome.Suspended(run, false);
  }
}
