package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_EVENT;

import dev.hapax.domain.Fence;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.RecoveryGrant;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredCodes;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jooq.Field;

/** Reads events from rows of {@code entity_event}. */
final class EntityEventRows {
  /** The columns that may be large: their bytes bound a page. */
  static final List<? extends Field<?>> LARGE =
      Stream.of(ENTITY_EVENT.fields())
          .filter(field -> field.getType() == String.class || field.getType() == byte[].class)
          .toList();

  private static final StoredCodes<ActionFailureKind> KINDS =
      new StoredCodes<>(
          ActionFailureKind.class,
          List.of(
              ActionFailureKind.FAILURE, ActionFailureKind.INVALID, ActionFailureKind.EXCEPTION));

  private static final StoredCodes<RecoveryVerdict> VERDICTS =
      new StoredCodes<>(
          RecoveryVerdict.class, List.of(RecoveryVerdict.COMPLETE, RecoveryVerdict.REVERT));

  private static final EffectColumns EFFECT =
      new EffectColumns(
          ENTITY_EVENT.EFFECT, ENTITY_EVENT.EFFECT_DEFINITION, ENTITY_EVENT.EFFECT_VERSION);

  private EntityEventRows() {}

  static short code(ActionFailureKind kind) {
    return KINDS.code(kind);
  }

  static short code(RecoveryVerdict verdict) {
    return VERDICTS.code(verdict);
  }

  static EntityEvent event(ResultSet found) throws SQLException {
    var row = new Row(found);
    var by =
        new Actor(
            row.optionalText(ENTITY_EVENT.ACTOR).orElse(Actor.SERVER.name()),
            row.optionalNumber(ENTITY_EVENT.NONCE).orElse(Actor.SERVER.nonce()),
            StoredPrincipal.read(found, ENTITY_EVENT.PRINCIPAL));
    return new EntityEvent(
        row.number(ENTITY_EVENT.VERSION),
        row.instant(ENTITY_EVENT.AT),
        by,
        row.text(ENTITY_EVENT.STATUS),
        change(row, by));
  }

  private static EntityChange change(Row row, Actor by) throws SQLException {
    return switch (EntityEventType.of(row.integer(ENTITY_EVENT.TYPE))) {
      case CREATED -> new EntityChange.Created(row.text(ENTITY_EVENT.STATUS), reason(row));
      case ACTION_BEGAN -> new EntityChange.ActionBegan(grant(row, by));
      case ACTION_COMPLETED ->
          new EntityChange.ActionCompleted(
              row.text(ENTITY_EVENT.STEP),
              row.text(ENTITY_EVENT.REQUESTER),
              row.text(ENTITY_EVENT.STATUS),
              fence(row),
              row.payload(ENTITY_EVENT.OUTPUT_JSON, ENTITY_EVENT.OUTPUT_BYTES));
      case ACTION_FAILED ->
          new EntityChange.ActionFailed(
              KINDS.value(row.integer(ENTITY_EVENT.KIND)), row.text(ENTITY_EVENT.MESSAGE));
      case CLAIM_REVERTED -> new EntityChange.ClaimReverted(fence(row), reason(row));
      case RECOVERY_BEGAN ->
          new EntityChange.RecoveryBegan(
              new RecoveryGrant(
                  by.nonce(),
                  fence(row),
                  by.name(),
                  row.optionalUuid(ENTITY_EVENT.POLL_ID),
                  by.principal()));
      case RECOVERED ->
          new EntityChange.Recovered(VERDICTS.value(row.integer(ENTITY_EVENT.KIND)), reason(row));
      case CLAIM_RELEASED ->
          new EntityChange.ClaimReleased(
              row.text(ENTITY_EVENT.REQUEST_ID),
              row.text(ENTITY_EVENT.MESSAGE),
              fence(row),
              VERDICTS.value(Math.toIntExact(row.number(ENTITY_EVENT.KIND))));
      case DELETED ->
          new EntityChange.Deleted(
              row.text(ENTITY_EVENT.REQUEST_ID), row.text(ENTITY_EVENT.MESSAGE), fence(row));
    };
  }

  private static String reason(Row row) throws SQLException {
    return row.optionalText(ENTITY_EVENT.MESSAGE).orElse("");
  }

  private static Fence fence(Row row) throws SQLException {
    return new Fence(row.number(ENTITY_EVENT.FENCE));
  }

  private static ActionGrant grant(Row row, Actor by) throws SQLException {
    var from = row.text(ENTITY_EVENT.FROM_STATUS);
    return new ActionGrant(
        by.nonce(),
        fence(row),
        new AttemptId(row.uuid(ENTITY_EVENT.ATTEMPT)),
        by.name(),
        row.instant(ENTITY_EVENT.AT),
        new Transition(
            row.text(ENTITY_EVENT.STEP),
            row.text(ENTITY_EVENT.REQUESTER),
            from,
            Optional.of(
                new ClaimStates(
                    row.text(ENTITY_EVENT.STATUS),
                    row.optionalText(ENTITY_EVENT.REVERT_TO).orElse(from))),
            row.text(ENTITY_EVENT.TO_STATUS),
            row.optionalText(ENTITY_EVENT.ACTION),
            EFFECT.read(row)),
        row.text(ENTITY_EVENT.MODULE),
        by.principal());
  }
}
