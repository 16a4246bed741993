package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The last round of a janitor; apart from its contract, which lifecycles and claims look at. */
public record SweepRoundId(JanitorId janitor) implements RecordKey<SweepRound> {
  @Override
  public Workspace workspace() {
    return janitor.workspace();
  }
}
