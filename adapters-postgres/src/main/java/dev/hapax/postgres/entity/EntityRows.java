package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RecoveryGrant;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredCodes;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads entities from rows of {@code entity}. */
final class EntityRows {
  static final short FREE = 1;
  private static final short CLAIMED = 2;
  private static final short RECOVERING = 3;

  private static final StoredCodes<EndedGrant.How> ENDED =
      new StoredCodes<>(
          EndedGrant.How.class,
          List.of(
              EndedGrant.How.COMPLETED,
              EndedGrant.How.FAILED,
              EndedGrant.How.LEASE_LOST,
              EndedGrant.How.RELEASED,
              EndedGrant.How.RECOVERED_DONE,
              EndedGrant.How.RECOVERED_UNDONE));

  private static final EffectColumns EFFECT =
      new EffectColumns(ENTITY.EFFECT, ENTITY.EFFECT_DEFINITION, ENTITY.EFFECT_VERSION);

  private EntityRows() {}

  static short code(ClaimState hold) {
    return switch (hold) {
      case ClaimState.Free _ -> FREE;
      case ClaimState.Claimed _ -> CLAIMED;
      case ClaimState.Recovering _ -> RECOVERING;
    };
  }

  static short code(EndedGrant.How how) {
    return ENDED.code(how);
  }

  static EntityId id(Workspace workspace, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new EntityId(workspace, row.text(ENTITY.LIFECYCLE), row.text(ENTITY.ID));
  }

  static Entity entity(EntityId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new Entity(
        id,
        row.text(ENTITY.STATUS),
        row.number(ENTITY.VERSION),
        new Fence(row.number(ENTITY.FENCE)),
        hold(row),
        last(row),
        row.optionalText(ENTITY.RELEASED),
        row.instant(ENTITY.CREATED_AT),
        List.of());
  }

  private static Optional<EndedGrant> last(Row row) throws SQLException {
    var how = row.optionalNumber(ENTITY.ENDED);
    return how.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new EndedGrant(
                row.number(ENTITY.ENDED_NONCE),
                row.number(ENTITY.ENDED_VERSION),
                ENDED.value(Math.toIntExact(how.get()))));
  }

  private static ClaimState hold(Row row) throws SQLException {
    var code = row.integer(ENTITY.HOLD);
    return switch (code) {
      case FREE -> new ClaimState.Free();
      case CLAIMED ->
          new ClaimState.Claimed(
              action(row, new Fence(row.number(ENTITY.FENCE))), row.instant(ENTITY.LEASE_UNTIL));
      case RECOVERING ->
          new ClaimState.Recovering(
              action(row, new Fence(row.number(ENTITY.LOST_FENCE))),
              recovery(row),
              row.instant(ENTITY.LEASE_UNTIL));
      default -> throw new IllegalStateException("no hold has the code " + code);
    };
  }

  private static RecoveryGrant recovery(Row row) throws SQLException {
    return new RecoveryGrant(
        row.number(ENTITY.RECOVERY_NONCE),
        new Fence(row.number(ENTITY.FENCE)),
        row.text(ENTITY.WORKER),
        row.optionalUuid(ENTITY.POLL_ID),
        StoredPrincipal.read(row.row(), ENTITY.WORKER_PRINCIPAL));
  }

  private static ActionGrant action(Row row, Fence fence) throws SQLException {
    return new ActionGrant(
        row.number(ENTITY.NONCE),
        fence,
        new AttemptId(row.uuid(ENTITY.ATTEMPT)),
        row.text(ENTITY.HOLDER),
        row.instant(ENTITY.SINCE),
        new Transition(
            row.text(ENTITY.STEP),
            row.text(ENTITY.REQUESTER),
            row.text(ENTITY.FROM_STATUS),
            Optional.of(new ClaimStates(row.text(ENTITY.STATUS), row.text(ENTITY.REVERT_TO))),
            row.text(ENTITY.TO_STATUS),
            row.optionalText(ENTITY.ACTION),
            EFFECT.read(row)),
        row.text(ENTITY.MODULE),
        StoredPrincipal.read(row.row(), ENTITY.HOLDER_PRINCIPAL));
  }
}
