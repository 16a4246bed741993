package dev.hapax.domain.run;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The id of a part of the run's step with this index. */
public record PartId(RunId run, int step, String name) implements RecordKey<Part> {
  public PartId {
    Text.requiredName(name);
  }

  @Override
  public Workspace workspace() {
    return run.workspace();
  }

  /** The id as third parties receive it, for example as an idempotency key. */
  public String text() {
    return run.step(step) + "/" + name;
  }
}
