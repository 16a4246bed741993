package dev.hapax.domain.run;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The id of one signal of one run. */
public record SignalId(RunId run, String id) implements RecordKey<Signal> {
  public SignalId {
    Text.requiredName(id);
  }

  @Override
  public Workspace workspace() {
    return run.workspace();
  }
}
