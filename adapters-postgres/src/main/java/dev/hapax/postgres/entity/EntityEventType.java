package dev.hapax.postgres.entity;

import dev.hapax.domain.entity.EntityChange;
import java.util.List;

/** The type of a stored event. Its code is its position, from 1; new types go to the end. */
enum EntityEventType {
  CREATED(1),
  ACTION_BEGAN(2),
  ACTION_COMPLETED(3),
  ACTION_FAILED(4),
  CLAIM_REVERTED(5),
  RECOVERY_BEGAN(6),
  RECOVERED(7),
  CLAIM_RELEASED(8),
  DELETED(9);

  private static final List<EntityEventType> ALL = List.of(values());

  private final short code;

  EntityEventType(int code) {
    this.code = (short) code;
  }

  static EntityEventType of(EntityChange change) {
    return switch (change) {
      case EntityChange.Created _ -> CREATED;
      case EntityChange.ActionBegan _ -> ACTION_BEGAN;
      case EntityChange.ActionCompleted _ -> ACTION_COMPLETED;
      case EntityChange.ActionFailed _ -> ACTION_FAILED;
      case EntityChange.ClaimReverted _ -> CLAIM_REVERTED;
      case EntityChange.RecoveryBegan _ -> RECOVERY_BEGAN;
      case EntityChange.Recovered _ -> RECOVERED;
      case EntityChange.ClaimReleased _ -> CLAIM_RELEASED;
      case EntityChange.Deleted _ -> DELETED;
    };
  }

  static EntityEventType of(int code) {
    return ALL.get(code - 1);
  }

  short code() {
    return code;
  }
}
