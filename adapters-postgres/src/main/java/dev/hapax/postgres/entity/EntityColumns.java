package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.StoredPrincipal;
import java.util.List;
import java.util.function.Function;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of {@code entity}. */
final class EntityColumns {
  /** The columns of every entity. */
  static final List<Column<Entity>> OF_ALL =
      List.of(
          column(ENTITY.CREATED_AT, Kind.INSTANT, Entity::createdAt),
          column(ENTITY.VERSION, Kind.LONG, Entity::version),
          column(ENTITY.FENCE, Kind.LONG, entity -> entity.fence().value()),
          column(ENTITY.HOLD, Kind.SHORT, entity -> EntityRows.code(entity.hold())),
          column(ENTITY.STATUS, Kind.TEXT, Entity::status),
          ended(ENTITY.ENDED_NONCE, Kind.LONG, EndedGrant::nonce),
          ended(ENTITY.ENDED_VERSION, Kind.LONG, EndedGrant::version),
          ended(ENTITY.ENDED, Kind.SHORT, ended -> EntityRows.code(ended.how())),
          column(ENTITY.RELEASED, Kind.TEXT, entity -> entity.released().orElse(null)));

  /** The columns of a claimed entity; its claim state is its status. */
  static final List<Column<Entity>> OF_TAKEN =
      List.of(
          column(ENTITY.LEASE_UNTIL, Kind.INSTANT, entity -> entity.due().orElse(null)),
          grant(ENTITY.SINCE, Kind.INSTANT, ActionGrant::since),
          grant(ENTITY.NONCE, Kind.LONG, ActionGrant::nonce),
          grant(ENTITY.ATTEMPT, Kind.UUID, grant -> grant.attempt().hash()),
          grant(ENTITY.MODULE, Kind.TEXT, ActionGrant::module),
          grant(ENTITY.STEP, Kind.TEXT, grant -> grant.transition().step()),
          grant(ENTITY.REQUESTER, Kind.TEXT, grant -> grant.transition().requester()),
          grant(ENTITY.FROM_STATUS, Kind.TEXT, grant -> grant.transition().from()),
          grant(ENTITY.REVERT_TO, Kind.TEXT, grant -> grant.claim().revertTo()),
          grant(ENTITY.TO_STATUS, Kind.TEXT, grant -> grant.transition().to()),
          grant(ENTITY.ACTION, Kind.TEXT, grant -> grant.transition().action().orElse(null)),
          grant(ENTITY.EFFECT, Kind.TEXT, EffectColumns::name),
          grant(ENTITY.EFFECT_DEFINITION, Kind.TEXT, EffectColumns::definition),
          grant(ENTITY.EFFECT_VERSION, Kind.TEXT, EffectColumns::version),
          grant(ENTITY.HOLDER, Kind.TEXT, ActionGrant::holder),
          grant(
              ENTITY.HOLDER_PRINCIPAL,
              Kind.TEXT,
              grant -> StoredPrincipal.text(grant.principal())));

  /** The further columns of an entity that a janitor recovers. */
  static final List<Column<Entity>> OF_RECOVERING =
      List.of(
          recovery(ENTITY.LOST_FENCE, Kind.LONG, held -> held.action().fence().value()),
          recovery(ENTITY.RECOVERY_NONCE, Kind.LONG, held -> held.recovery().nonce()),
          recovery(ENTITY.POLL_ID, Kind.UUID, held -> held.recovery().poll().orElse(null)),
          recovery(ENTITY.WORKER, Kind.TEXT, held -> held.recovery().worker()),
          recovery(
              ENTITY.WORKER_PRINCIPAL,
              Kind.TEXT,
              held -> StoredPrincipal.text(held.recovery().principal())));

  private EntityColumns() {}

  static <R> List<Column<R>> key(Function<R, EntityId> id) {
    return key(ENTITY.ID, id);
  }

  /** The key, also of the events. */
  static <R> List<Column<R>> key(Field<?> field, Function<R, EntityId> id) {
    return List.of(
        new Column<>(
            ENTITY.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(ENTITY.LIFECYCLE.getName(), Kind.TEXT, row -> id.apply(row).lifecycle()),
        new Column<>(field.getName(), Kind.TEXT, row -> id.apply(row).id()));
  }

  private static Column<Entity> column(
      Field<?> field, Kind kind, Function<Entity, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, value);
  }

  private static Column<Entity> ended(
      Field<?> field, Kind kind, Function<EndedGrant, @Nullable Object> value) {
    return column(field, kind, entity -> entity.last().map(value).orElse(null));
  }

  private static Column<Entity> grant(
      Field<?> field, Kind kind, Function<ActionGrant, @Nullable Object> value) {
    return column(
        field, kind, entity -> entity.held().map(ClaimState.Held::action).map(value).orElse(null));
  }

  private static Column<Entity> recovery(
      Field<?> field, Kind kind, Function<ClaimState.Recovering, @Nullable Object> value) {
    return column(field, kind, entity -> entity.recovering().map(value).orElse(null));
  }
}
