package dev.hapax.domain.run;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * Suspends a step until a time or a signal, whichever comes first; then the same attempt is offered
 * to workers again.
 *
 * @param timer a time, or a duration by the database's clock
 * @param signal selects the signals that end the wait
 * @param parts stored before the suspension
 * @param principal of the caller
 */
public record SuspendTask(
    TaskClaim claim,
    Optional<StepDefinition.Timer> timer,
    Optional<SignalFilter> signal,
    Optional<Json.Obj> patch,
    ReportedParts parts,
    PrincipalName principal)
    implements RunCommand<SuspendTaskOutcome> {

  /** A suspension that reports nothing about parts. */
  public SuspendTask(
      TaskClaim claim,
      Optional<StepDefinition.Timer> timer,
      Optional<SignalFilter> signal,
      Optional<Json.Obj> patch,
      PrincipalName principal) {
    this(claim, timer, signal, patch, ReportedParts.NONE, principal);
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public int size() {
    return SIZE + patch.map(Json::size).orElse(0) + parts.size();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return parts.keysWith(claim);
  }

  @Override
  public SuspendTaskOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var holder = Actor.holder(held.get().grant(), principal);
    return switch (parts.apply(records, claim, found.orElseThrow(), holder, now)) {
      case ReportedParts.Applied applied -> suspended(records, applied, holder, now);
      case PartsRefused refused -> refused;
    };
  }

  private SuspendTaskOutcome suspended(
      BatchRecords records, ReportedParts.Applied applied, Actor holder, Instant now) {
    var until = timer.map(wait -> wait.end(now));
    var suspended =
        applied.run().then(new RunChange.StepSuspended(until, signal, patch), now, holder);
    if (suspended.state().size() > Run.MAX_STATE) {
      return new SuspendTaskOutcome.StateTooLarge();
    }
    var run = new RunProgression(now).proceed(suspended);
    applied.store(records);
    records.put(run.id(), run);
    return new SuspendTaskOutcome.Suspended(run, false);
  }
}
