package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The last round of a janitor; apart from its contract, which lifecycles and claims look at. */
public record RoundId(JanitorId janitor) implements RecordKey<Round> {
  @Override
  public Workspace workspace() {
    return janitor.workspace();
  }
}
