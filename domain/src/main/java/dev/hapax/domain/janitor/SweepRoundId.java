package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of a janitor's last round, apart from its contract, which many commands read. */
public record SweepRoundId(JanitorId janitor) implements RecordKey<SweepRound> {
  @Override
  public Workspace workspace() {
    return janitor.workspace();
  }
}
