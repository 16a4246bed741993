package dev.hapax.console.entity;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.StatusTag;
import dev.hapax.v1.Entity;
import java.time.Instant;

/** How an entity is held. */
public enum ClaimPhase {
  FREE("free", "off"),
  HELD("held", "active"),
  EXPIRED("lease expired", "failed"),
  RECOVERING("recovering", "waiting");

  private final StatusTag tag;

  ClaimPhase(String word, String tone) {
    tag = StatusTag.of(word, tone);
  }

  public StatusTag tag() {
    return tag;
  }

  static ClaimPhase of(Entity entity, Instant now) {
    if (!entity.hasClaim()) {
      return FREE;
    }
    if (!entity.getClaim().getRecoveringBy().isEmpty()) {
      return RECOVERING;
    }
    return DisplayTime.of(entity.getClaim().getLeaseUntil(), now).at().isAfter(now)
        ? HELD
        : EXPIRED;
  }
}
