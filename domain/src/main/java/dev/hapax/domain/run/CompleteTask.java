package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Completes a step and, on request, grants the next step of the same queue to the same worker.
 *
 * @param consumed ids of the signals that the step used up
 * @param skipped the worker found nothing to do
 * @param next a random nonce for the grant of the next task; empty = no next task is wanted
 * @param parts stored before the completion
 * @param principal of the caller
 */
public record CompleteTask(
    TaskClaim claim,
    Optional<Payload> output,
    Optional<Json.Obj> patch,
    List<String> consumed,
    boolean skipped,
    OptionalLong next,
    ReportedParts parts,
    PrincipalName principal)
    implements RunCommand<CompleteTaskOutcome> {

  public CompleteTask {
    consumed = consumed.stream().distinct().toList();
  }

  /** A completion that reports nothing about parts. */
  public CompleteTask(
      TaskClaim claim,
      Optional<Payload> output,
      Optional<Json.Obj> patch,
      List<String> consumed,
      boolean skipped,
      OptionalLong next,
      PrincipalName principal) {
    this(claim, output, patch, consumed, skipped, next, ReportedParts.NONE, principal);
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return consumed.isEmpty()
        ? parts.keysWith(claim)
        : Stream.concat(parts.keysWith(claim).stream(), consumption().keys().stream())
            .distinct()
            .toList();
  }

  private ConsumedSignals consumption() {
    return new ConsumedSignals(claim.run(), consumed);
  }

  @Override
  public int size() {
    return SIZE
        + output.map(Payload::size).orElse(0)
        + patch.map(Json::size).orElse(0)
        + parts.size();
  }

  @Override
  public CompleteTaskOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    if (held.isEmpty()) {
      return completedBefore(records, found, now);
    }
    var unknown = consumption().findUnknown(records);
    if (unknown.isPresent()) {
      return new CompleteTaskOutcome.NoSuchSignal(unknown.get());
    }
    var holder = Actor.holder(held.get().grant(), principal);
    return switch (parts.apply(records, claim, found.orElseThrow(), holder, now)) {
      case ReportedParts.Applied applied ->
          completed(records, applied, held.get().grant(), holder, now);
      case PartsRefused refused -> refused;
    };
  }

  private CompleteTaskOutcome completed(
      BatchRecords records,
      ReportedParts.Applied applied,
      TaskGrant grant,
      Actor holder,
      Instant now) {
    var newly = applied.consumed().others(consumption().newlyConsumed(records));
    var completed =
        applied.run().then(new RunChange.StepCompleted(output, patch, newly, skipped), now, holder);
    if (completed.state().size() > Run.MAX_STATE) {
      return new CompleteTaskOutcome.StateTooLarge();
    }
    var run = withNext(new RunProgression(now).proceed(completed), grant, now);
    applied.store(records);
    consumption().markConsumed(records);
    records.put(run.id(), run);
    return new CompleteTaskOutcome.Completed(run, false, next(run, now));
  }

  /** A retry gets the next task as well: the response to the first call may have been lost. */
  private CompleteTaskOutcome completedBefore(
      BatchRecords records, Optional<Run> found, Instant now) {
    var held = found.flatMap(Run::lastHeld).filter(last -> isNext(last) && !last.isTimedOut(now));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var run = found.orElseThrow().deliveredAgain(held.get(), now);
    records.put(run.id(), run);
    return new CompleteTaskOutcome.Completed(run, true, next(run, now));
  }

  private Optional<ClaimTaskOutcome.Claimed> next(Run run, Instant now) {
    return run.held().filter(this::isNext).map(_ -> ClaimTaskOutcome.Claimed.of(run, now));
  }

  private boolean isNext(Phase.Held held) {
    return held.grant().after().equals(OptionalLong.of(claim.nonce()));
  }

  private Run withNext(Run run, TaskGrant done, Instant now) {
    var sameQueue =
        run.queue().equals(run.definition().step(claim.step()).work().map(work -> work.queue()));
    if (next.isEmpty() || !sameQueue) {
      return run;
    }
    var grant =
        new TaskGrant(
            next.getAsLong(),
            run.position().fence().next(now),
            done.worker(),
            Optional.empty(),
            OptionalLong.of(claim.nonce()));
    return run.then(
        new RunChange.StepStarted(Optional.of(grant)), now, Actor.holder(grant, principal));
  }
}
