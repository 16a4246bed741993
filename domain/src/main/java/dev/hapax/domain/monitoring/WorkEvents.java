package dev.hapax.domain.monitoring;

import dev.hapax.domain.Failure;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.EffectDefinition;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Derives work events from the committed changes of a batch. A batch that was rolled back and
 * repeated counts once.
 */
public final class WorkEvents {
  private final Consumer<WorkEvent> events;

  /** Passes each event to this consumer, which must be quick and must not block. */
  public WorkEvents(Consumer<WorkEvent> events) {
    this.events = events;
  }

  /** Emits the events of one committed batch. */
  public void committed(Map<RecordKey<?>, Batch.Change> changes) {
    changes.forEach(this::changed);
  }

  private void changed(RecordKey<?> key, Batch.Change change) {
    switch (change.after()) {
      case Run run -> run(change.before(), run);
      case Entity entity -> entity(change.before(), entity);
      case Operation operation -> operation(change.before(), operation);
      case Intent.Taken(var origin, _, var outcome, _) when key instanceof IntentId id ->
          events.accept(new WorkEvent.IntentTaken(id, origin, outcome));
      case null, default -> {}
    }
  }

  /** Skips events of earlier batches, which a record may still contain. */
  private void run(@Nullable Object before, Run run) {
    var known = before instanceof Run found ? found.version() : 0;
    run.newEvents().stream()
        .filter(event -> event.version() > known)
        .forEach(event -> event(before, run, event));
  }

  private void entity(@Nullable Object before, Entity entity) {
    var known = before instanceof Entity found ? found.version() : 0;
    entity.newEvents().stream()
        .filter(event -> event.version() > known)
        .forEach(event -> lease(before, entity, event.change()));
  }

  private void event(@Nullable Object before, Run run, RunEvent event) {
    var definition = run.definition().id().name();
    switch (event.change()) {
      case RunChange.RunFailed(var failure) -> events.accept(failed(run, event, failure));
      case RunChange.RetryScheduled(var failure, _) ->
          events.accept(
              new WorkEvent.RetryScheduled(
                  run.id(), definition, step(run, event), event.attempt(), failure.code()));
      case RunChange.LeaseLost _ ->
          events.accept(
              new WorkEvent.TaskLeaseExpired(
                  run.id(), definition, step(run, event), event.attempt(), worker(before)));
      case RunChange.LeaseGivenBack(_, var reason) ->
          reason.ifPresent(
              why ->
                  events.accept(
                      new WorkEvent.StepReleased(
                          run.id(), definition, step(run, event), why.code())));
      case RunChange.RunCompleted _ ->
          events.accept(new WorkEvent.RunEnded(run.id(), definition, RunStatus.COMPLETED));
      case RunChange.RunCancelled _ ->
          events.accept(new WorkEvent.RunEnded(run.id(), definition, RunStatus.CANCELLED));
      case RunChange.Created _,
          RunChange.StepStarted _,
          RunChange.StepCompleted _,
          RunChange.StepFailed _,
          RunChange.StepSuspended _,
          RunChange.StepResumed _,
          RunChange.StepRecorded _,
          RunChange.PartBegun _,
          RunChange.PartFailed _,
          RunChange.StepSettled _,
          RunChange.SignalReceived _,
          RunChange.Paused _,
          RunChange.Resumed _,
          RunChange.Retried _,
          RunChange.HookCreated _,
          RunChange.HookDisposed _,
          RunChange.Superseded _,
          RunChange.Blocked _,
          RunChange.Admitted _ -> {}
    }
  }

  private static WorkEvent failed(Run run, RunEvent event, Failure failure) {
    var id = run.definition().id();
    return id.name().equals(EffectDefinition.NAME)
        ? new WorkEvent.EffectDeadLettered(
            run.id(),
            effect(run),
            run.origin().labels().getOrDefault(EffectDefinition.LIFECYCLE_LABEL, ""),
            event.attempt(),
            failure.code())
        : new WorkEvent.RunFailed(
            run.id(), id.name(), step(run, event), event.attempt(), failure.code());
  }

  /** The name of the effect, which is also that of its queue. */
  private static String effect(Run run) {
    return run.definition().step(0).work().map(StepDefinition.Work::queue).orElseThrow();
  }

  private static String step(Run run, RunEvent event) {
    return run.definition().hasStep(event.step()) ? run.definition().step(event.step()).name() : "";
  }

  /** A lease lasts longer than a batch, so its holder held the run before the batch. */
  private static String worker(@Nullable Object before) {
    return before instanceof Run run
        ? run.held().map(held -> held.grant().worker()).orElse("")
        : "";
  }

  private void lease(@Nullable Object before, Entity entity, EntityChange change) {
    switch (change) {
      case EntityChange.ClaimReverted _, EntityChange.RecoveryBegan _ -> {
        if (before instanceof Entity found) {
          found.held().map(held -> expired(entity, held)).ifPresent(events);
        }
      }
      case EntityChange.Created _,
          EntityChange.ActionBegan _,
          EntityChange.ActionCompleted _,
          EntityChange.ActionFailed _,
          EntityChange.Recovered _,
          EntityChange.ClaimReleased _,
          EntityChange.Deleted _ -> {}
    }
  }

  private static WorkEvent expired(Entity entity, ClaimState.Held held) {
    var id = entity.id();
    return switch (held) {
      case ClaimState.Claimed(var action, _) ->
          new WorkEvent.EntityLeaseExpired(
              id.workspace(), id.lifecycle(), id.id(), action.holder(), false);
      case ClaimState.Recovering(_, var recovery, _) ->
          new WorkEvent.EntityLeaseExpired(
              id.workspace(), id.lifecycle(), id.id(), recovery.worker(), true);
    };
  }

  private void operation(@Nullable Object before, Operation operation) {
    var key = operation.subject().key();
    if (before instanceof Operation.InProgress held
        && replacedAt(held, operation).filter(at -> !at.isBefore(held.leaseUntil())).isPresent()) {
      events.accept(
          new WorkEvent.OperationLeaseExpired(
              key.workspace(), key.operation(), held.grant().attempt()));
    }
    if (operation instanceof Operation.Indeterminate
        && !(before instanceof Operation.Indeterminate)) {
      events.accept(
          new WorkEvent.OperationIndeterminate(
              key.workspace(), key.operation(), operation.grant().attempt()));
    }
  }

  /** The time at which another caller's Begin replaced this holder, if one did. */
  private static Optional<Instant> replacedAt(Operation.InProgress held, Operation after) {
    return switch (after) {
      case Operation.InProgress next when !next.grant().equals(held.grant()) ->
          Optional.of(next.grant().at());
      case Operation.Indeterminate late when late.lapsed().isPresent() -> Optional.of(late.since());
      case Operation.InProgress _,
          Operation.Indeterminate _,
          Operation.Released _,
          Operation.Completed _,
          Operation.Rejected _ ->
          Optional.empty();
    };
  }
}
