package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/**
 * The key of the length of a line, by the hash of its token or limit: it is counted when a decision
 * needs it.
 */
public record LineLengthId(HookId hook) implements RecordKey<LineLength> {
  @Override
  public Workspace workspace() {
    return hook.workspace();
  }
}
