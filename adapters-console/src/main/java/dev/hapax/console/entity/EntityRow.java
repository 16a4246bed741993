package dev.hapax.console.entity;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.StatusTag;
import dev.hapax.v1.Entity;
import java.time.Instant;
import java.util.Optional;

/**
 * An entity in a list.
 *
 * @param claim whether it is held
 * @param holder who has it; empty = it is free
 */
public record EntityRow(
    String id,
    String href,
    String lifecycle,
    String status,
    StatusTag claim,
    String holder,
    Optional<DisplayTime> since,
    long version,
    DisplayTime created) {
  static EntityRow of(Entity entity, Instant now) {
    var claim = ClaimPhase.of(entity, now);
    return new EntityRow(
        entity.getId(),
        href(entity),
        entity.getLifecycle(),
        entity.getStatus(),
        claim.tag(),
        entity.getClaim().getHolder(),
        DisplayTime.optional(entity.hasClaim(), entity.getClaim().getSince(), now),
        entity.getVersion(),
        DisplayTime.of(entity.getCreatedAt(), now));
  }

  /** The address of the page of an entity. */
  public static String href(Entity entity) {
    return Address.ofEntity(entity.getWorkspace(), entity.getLifecycle(), entity.getId()).href();
  }
}
