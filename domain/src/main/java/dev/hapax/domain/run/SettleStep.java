package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Settles the step of a failed run, or a step or part whose effect is in doubt, by what an operator
 * found out. The caller detects a repeated request by the run's history.
 *
 * @param step name of the step
 * @param part name of its part; empty = the step itself
 * @param reason the evidence
 */
public record SettleStep(
    RunId run,
    String step,
    Optional<String> part,
    RunChange.Verdict verdict,
    String requestId,
    String reason,
    OptionalLong expectedVersion,
    Actor actor)
    implements RunCommand<ControlOutcome>, ReopenRun {

  /** A settled part has an output, and a failure is of what is settled. */
  public SettleStep {
    verdict = of(verdict, part);
  }

  private static RunChange.Verdict of(RunChange.Verdict verdict, Optional<String> part) {
    return switch (verdict) {
      case RunChange.Verdict.Complete(var output, var patch) when part.isPresent() ->
          new RunChange.Verdict.Complete(output.or(() -> Optional.of(NOTHING)), patch);
      case RunChange.Verdict.Skip _ when part.isPresent() ->
          throw new IllegalArgumentException("only a step can be skipped");
      case RunChange.Verdict.Fail(var failure) ->
          new RunChange.Verdict.Fail(failure.withPart(part.orElse("")));
      case RunChange.Verdict.Complete _, RunChange.Verdict.Skip _, RunChange.Verdict.Repeat _ ->
          verdict;
    };
  }

  @Override
  public int size() {
    return switch (verdict) {
      case RunChange.Verdict.Complete(var output, var patch) ->
          SIZE + output.map(Payload::size).orElse(0) + patch.map(Json::size).orElse(0);
      case RunChange.Verdict.Skip _, RunChange.Verdict.Fail _, RunChange.Verdict.Repeat _ -> SIZE;
    };
  }

  @Override
  public ControlOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(run);
    if (found.isEmpty()) {
      return new ControlOutcome.NotFound();
    }
    var before = found.get();
    if (!ControlOutcome.isExpected(before, expectedVersion)) {
      return new ControlOutcome.Moved(before);
    }
    if (before.hasEnded() && !before.isReopenable()) {
      return new ControlOutcome.NotAllowed(before);
    }
    var id = part.map(name -> new PartId(run, before.position().step(), name));
    id.ifPresent(key -> records.lock(List.of(key)));
    var open = id.flatMap(records::get).flatMap(SettleStep::open);
    var obstacle = obstacle(before, open);
    if (obstacle.isPresent()) {
      return new ControlOutcome.NotSettleable(before, obstacle.get());
    }
    var settled =
        before.then(new RunChange.StepSettled(part, verdict, requestId, reason), now, actor);
    if (settled.state().size() > Run.MAX_STATE) {
      return new ControlOutcome.StateTooLarge();
    }
    id.ifPresent(
        key -> records.put(key, settled(open.orElseThrow(), settled.newEvents().getLast())));
    var after = new RunProgression(now).proceed(settled);
    records.put(run, after);
    return new ControlOutcome.Applied(after, false);
  }

  private static Optional<Part.Open> open(Part part) {
    return part instanceof Part.Open open ? Optional.of(open) : Optional.empty();
  }

  /** Why it may not be settled. */
  private Optional<String> obstacle(Run before, Optional<Part.Open> open) {
    var current = before.step();
    if (current.filter(step -> step.name().equals(this.step)).isEmpty()) {
      return Optional.of("it is not the current step");
    }
    var held = before.held();
    if (held.isPresent()) {
      return Optional.of(
          "worker \"%s\" holds the step until %s"
              .formatted(held.get().grant().worker(), held.get().leaseUntil()));
    }
    if (before.phase() instanceof Phase.Paused(Phase.Finishing _)) {
      return Optional.of("the step has ended, and the run is paused; resume the run first");
    }
    return part.isPresent() ? obstacle(before.phase(), open) : obstacleOfStep(before);
  }

  private static Optional<String> obstacleOfStep(Run before) {
    return before.phase() instanceof Phase.Failed
            || before.open().filter(Phase.InDoubt.class::isInstance).isPresent()
        ? Optional.empty()
        : Optional.of("the step has not failed");
  }

  private Optional<String> obstacle(Phase phase, Optional<Part.Open> open) {
    if (open.isEmpty()) {
      return Optional.of("the part is recorded, or has not begun");
    }
    return switch (open.get()) {
      case Part.Begun _, Part.Retrying _ -> Optional.empty();
      case Part.Failed _ ->
          phase instanceof Phase.Failed(_, var failure) && part.get().equals(failure.part())
              ? Optional.empty()
              : Optional.of("the code has handled the failure of the part");
    };
  }

  private Part settled(Part.Open before, RunEvent event) {
    return switch (verdict) {
      case RunChange.Verdict.Complete(var output, _) ->
          new Part.Completed(event.version(), 0, output.orElseThrow(), PartTraits.NONE);
      case RunChange.Verdict.Fail(var failure) ->
          new Part.Failed(event.version(), 0, before.attempts(), before.since(), failure);
      case RunChange.Verdict.Repeat _ -> before.repeatedBy(event);
      case RunChange.Verdict.Skip _ ->
          throw new IllegalStateException("only a step can be skipped");
    };
  }

  /** The output of a part that has none. */
  private static final Payload NOTHING = new Payload.Json("null");
}
