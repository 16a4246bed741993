package dev.hapax.application.entity;

import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.StuckKind;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Something that is claimed, in doubt or stopped.
 *
 * @param since when it began
 */
public record HeldClaim(StuckKind kind, Instant since, Subject subject) {

  /** The record that is held. */
  public sealed interface Subject {
    /** The position behind it in the list of its kind. */
    Cursor cursor();
  }

  /** An entity that is claimed. */
  public record OfEntity(Entity entity, ClaimState.Held claim) implements Subject {
    @Override
    public Cursor cursor() {
      return new Cursor.AfterEntity(entity.id());
    }
  }

  /** An operation in doubt. */
  public record OfOperation(Operation operation, OperationReads.Position position)
      implements Subject {
    @Override
    public Cursor cursor() {
      return new Cursor.AfterOperation(position);
    }
  }

  /** A run that does not go on by itself. */
  public record OfRun(Run run) implements Subject {
    @Override
    public Cursor cursor() {
      return new Cursor.AfterRun(run.id().uuid());
    }
  }

  /** A position in the list of one kind of record. */
  public sealed interface Cursor {
    record AfterEntity(EntityId entity) implements Cursor {}

    record AfterOperation(OperationReads.Position position) implements Cursor {}

    record AfterRun(UUID run) implements Cursor {}
  }

  /** The position after this claim, for the next page. */
  public HeldClaims.Position position() {
    return new HeldClaims.Position(section(), Optional.of(subject.cursor()));
  }

  private HeldClaims.Section section() {
    return subject instanceof OfRun(var run) && run.phase() instanceof Phase.InDoubt
        ? HeldClaims.Section.RUNS_IN_DOUBT
        : HeldClaims.Section.of(kind);
  }

  static Optional<HeldClaim> of(Entity entity) {
    return entity
        .held()
        .map(
            taken ->
                new HeldClaim(
                    switch (taken) {
                      case ClaimState.Claimed _ -> StuckKind.ENTITY_CLAIMED;
                      case ClaimState.Recovering _ -> StuckKind.ENTITY_RECOVERING;
                    },
                    taken.action().since(),
                    new OfEntity(entity, taken)));
  }

  static HeldClaim of(OperationReads.Listed listed) {
    return new HeldClaim(
        StuckKind.OPERATION_INDETERMINATE,
        listed.operation().grant().at(),
        new OfOperation(listed.operation(), listed.position()));
  }

  /** Empty if the run continues by itself. */
  static Optional<HeldClaim> of(Run run) {
    return kind(run.phase())
        .map(kind -> new HeldClaim(kind, run.origin().createdAt(), new OfRun(run)));
  }

  private static Optional<StuckKind> kind(Phase phase) {
    return switch (phase) {
      case Phase.Failed failed ->
          Optional.of(failed.isInDoubt() ? StuckKind.STEP_IN_DOUBT : StuckKind.RUN_FAILED);
      case Phase.InDoubt _ -> Optional.of(StuckKind.STEP_IN_DOUBT);
      case Phase.Paused _ -> Optional.of(StuckKind.RUN_PAUSED);
      case Phase.Waiting(var until, _, _) when until.isEmpty() ->
          Optional.of(StuckKind.RUN_AWAITING);
      case Phase.Waiting _,
          Phase.Ready _,
          Phase.Blocked _,
          Phase.Held _,
          Phase.Finishing _,
          Phase.Completed _,
          Phase.Cancelled _ ->
          Optional.empty();
    };
  }
}
