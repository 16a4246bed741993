package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_EVENT;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.run.Actor;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.StoredPrincipal;
import dev.hapax.postgres.run.PayloadColumns;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of {@code entity_event}. */
final class EntityEventColumns {
  /** An event with its entity. */
  record EntityEventRow(EntityId entity, EntityEvent event) {
    private EntityChange change() {
      return event.change();
    }
  }

  /** The step that an action takes, and the requester who takes it. */
  private record TakenStep(String name, String requester) {}

  static final List<Column<EntityEventRow>> ALL =
      Stream.of(
              EntityColumns.key(ENTITY_EVENT.ENTITY_ID, EntityEventRow::entity),
              List.of(
                  column(ENTITY_EVENT.VERSION, Kind.LONG, row -> row.event().version()),
                  column(ENTITY_EVENT.AT, Kind.INSTANT, row -> row.event().at()),
                  column(
                      ENTITY_EVENT.TYPE,
                      Kind.SHORT,
                      row -> EntityEventType.of(row.change()).code()),
                  column(ENTITY_EVENT.KIND, Kind.SHORT, row -> kind(row.change())),
                  column(ENTITY_EVENT.NONCE, Kind.LONG, row -> nonce(row.event().actor())),
                  column(ENTITY_EVENT.FENCE, Kind.LONG, row -> fence(row.change())),
                  grant(ENTITY_EVENT.ATTEMPT, Kind.UUID, grant -> grant.attempt().hash()),
                  column(ENTITY_EVENT.POLL_ID, Kind.UUID, row -> poll(row.change())),
                  column(ENTITY_EVENT.STATUS, Kind.TEXT, row -> row.event().status()),
                  column(ENTITY_EVENT.ACTOR, Kind.TEXT, row -> actor(row.event().actor())),
                  column(
                      ENTITY_EVENT.PRINCIPAL,
                      Kind.TEXT,
                      row -> StoredPrincipal.text(row.event().actor().principal())),
                  column(
                      ENTITY_EVENT.STEP,
                      Kind.TEXT,
                      row -> taken(row.change()).map(TakenStep::name).orElse(null)),
                  column(
                      ENTITY_EVENT.REQUESTER,
                      Kind.TEXT,
                      row -> taken(row.change()).map(TakenStep::requester).orElse(null)),
                  grant(ENTITY_EVENT.FROM_STATUS, Kind.TEXT, grant -> grant.transition().from()),
                  grant(ENTITY_EVENT.REVERT_TO, Kind.TEXT, EntityEventColumns::revertTo),
                  grant(ENTITY_EVENT.TO_STATUS, Kind.TEXT, grant -> grant.transition().to()),
                  grant(
                      ENTITY_EVENT.ACTION,
                      Kind.TEXT,
                      grant -> grant.transition().action().orElse(null)),
                  grant(ENTITY_EVENT.EFFECT, Kind.TEXT, EffectColumns::name),
                  grant(ENTITY_EVENT.EFFECT_DEFINITION, Kind.TEXT, EffectColumns::definition),
                  grant(ENTITY_EVENT.EFFECT_VERSION, Kind.TEXT, EffectColumns::version),
                  grant(ENTITY_EVENT.MODULE, Kind.TEXT, ActionGrant::module),
                  column(ENTITY_EVENT.REQUEST_ID, Kind.TEXT, row -> requestId(row.change())),
                  column(ENTITY_EVENT.MESSAGE, Kind.TEXT, row -> message(row.change()))),
              PayloadColumns.of(
                  ENTITY_EVENT.OUTPUT_JSON,
                  ENTITY_EVENT.OUTPUT_BYTES,
                  (EntityEventRow row) -> output(row.change())))
          .flatMap(List::stream)
          .toList();

  private EntityEventColumns() {}

  private static Column<EntityEventRow> column(
      Field<?> field, Kind kind, Function<EntityEventRow, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, value);
  }

  /** A grant of this event: its holder, nonce and time are those of the event. */
  private static Column<EntityEventRow> grant(
      Field<?> field, Kind kind, Function<ActionGrant, @Nullable Object> value) {
    return column(
        field,
        kind,
        row ->
            row.change() instanceof EntityChange.ActionBegan(var grant)
                ? value.apply(grant)
                : null);
  }

  private static @Nullable String actor(Actor by) {
    return by.name().equals(Actor.SERVER.name()) ? null : by.name();
  }

  private static @Nullable Long nonce(Actor by) {
    return by.nonce() == Actor.SERVER.nonce() ? null : by.nonce();
  }

  private static @Nullable Short kind(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionFailed(var kind, _) -> EntityEventRows.code(kind);
      case EntityChange.Recovered(var verdict, _) -> EntityEventRows.code(verdict);
      case EntityChange.ClaimReleased(_, _, _, var verdict) -> EntityEventRows.code(verdict);
      case EntityChange.Created _,
          EntityChange.ActionBegan _,
          EntityChange.ActionCompleted _,
          EntityChange.ClaimReverted _,
          EntityChange.RecoveryBegan _,
          EntityChange.Deleted _ ->
          null;
    };
  }

  private static @Nullable Long fence(EntityChange change) {
    var fence = fenceGiven(change);
    return fence == null ? null : fence.value();
  }

  private static @Nullable Fence fenceGiven(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionBegan(var grant) -> grant.fence();
      case EntityChange.ActionCompleted(_, _, _, var fence, _) -> fence;
      case EntityChange.ClaimReverted(var fence, _) -> fence;
      case EntityChange.RecoveryBegan(var grant) -> grant.fence();
      case EntityChange.ClaimReleased(_, _, var fence, _) -> fence;
      case EntityChange.Deleted(_, _, var fence) -> fence;
      case EntityChange.Created _, EntityChange.ActionFailed _, EntityChange.Recovered _ -> null;
    };
  }

  private static @Nullable UUID poll(EntityChange change) {
    return change instanceof EntityChange.RecoveryBegan(var grant)
        ? grant.poll().orElse(null)
        : null;
  }

  private static Optional<TakenStep> taken(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionBegan(var grant) ->
          Optional.of(new TakenStep(grant.transition().step(), grant.transition().requester()));
      case EntityChange.ActionCompleted(var step, var requester, _, _, _) ->
          Optional.of(new TakenStep(step, requester));
      case EntityChange.Created _,
          EntityChange.ActionFailed _,
          EntityChange.ClaimReverted _,
          EntityChange.RecoveryBegan _,
          EntityChange.Recovered _,
          EntityChange.ClaimReleased _,
          EntityChange.Deleted _ ->
          Optional.empty();
    };
  }

  /** The status to go back to, if it differs from the one the step begins in. */
  private static @Nullable String revertTo(ActionGrant grant) {
    var revertTo = grant.claim().revertTo();
    return revertTo.equals(grant.transition().from()) ? null : revertTo;
  }

  private static @Nullable String requestId(EntityChange change) {
    return switch (change) {
      case EntityChange.ClaimReleased(var request, _, _, _) -> request;
      case EntityChange.Deleted(var request, _, _) -> request;
      case EntityChange.Created _,
          EntityChange.ActionBegan _,
          EntityChange.ActionCompleted _,
          EntityChange.ActionFailed _,
          EntityChange.ClaimReverted _,
          EntityChange.RecoveryBegan _,
          EntityChange.Recovered _ ->
          null;
    };
  }

  private static Optional<Payload> output(EntityChange change) {
    return change instanceof EntityChange.ActionCompleted(_, _, _, _, var output)
        ? output
        : Optional.empty();
  }

  private static @Nullable String message(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionFailed(_, var message) -> message;
      case EntityChange.Created(_, var reason) -> reason.isEmpty() ? null : reason;
      case EntityChange.ClaimReverted(_, var reason) -> reason.isEmpty() ? null : reason;
      case EntityChange.Recovered(_, var reason) -> reason.isEmpty() ? null : reason;
      case EntityChange.ClaimReleased(_, var reason, _, _) -> reason;
      case EntityChange.Deleted(_, var reason, _) -> reason;
      case EntityChange.ActionBegan _,
          EntityChange.ActionCompleted _,
          EntityChange.RecoveryBegan _ ->
          null;
    };
  }
}
