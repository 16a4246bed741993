package dev.hapax.domain.limit;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of a limit's slots. A decision about them locks the limit as well. */
public record SlotsId(LimitId limit) implements RecordKey<Slots> {
  @Override
  public Workspace workspace() {
    return limit.workspace();
  }
}
