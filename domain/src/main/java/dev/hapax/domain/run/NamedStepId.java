package dev.hapax.domain.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.RecordKey;

/** The id of a named step, within the run's step of this index. */
public record NamedStepId(RunId run, int step, String name) implements RecordKey<NamedStep> {
  public NamedStepId {
    StepDefinition.requireName(name);
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
