package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of the length of a token's line, which is counted when a decision needs it. */
public record LineLengthId(HookId hook) implements RecordKey<LineLength> {
  @Override
  public Workspace workspace() {
    return hook.workspace();
  }
}
