package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of a token's line. A decision about it locks the token as well. */
public record LineId(HookId hook) implements RecordKey<Line> {
  @Override
  public Workspace workspace() {
    return hook.workspace();
  }
}
