package dev.hapax.domain.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.RecordKey;

/** A step that code named by itself, in the step of this index. */
public record NamedStepId(RunId run, int step, String name) implements RecordKey<NamedStep> {
  public NamedStepId {
    StepDefinition.requireName(name);
  }

  @Override
  public Workspace workspace() {
    return run.workspace();
  }

  /** As third parties see it. */
  public String text() {
    return run.step(step) + "/" + name;
  }
}
