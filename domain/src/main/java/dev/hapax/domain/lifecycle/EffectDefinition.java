package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import java.time.Instant;
import java.util.List;

/** What the runs of an after-effect go through: one step, in a queue of the effect's name. */
public final class EffectDefinition {
  /** The name of all of them; the version is the name of the effect. */
  public static final String NAME = "hapax.after-effect";

  public static final String STEP = "after-effect";

  /** The label of such a run with the lifecycle of its entity. */
  public static final String LIFECYCLE_LABEL = "hapax.lifecycle";

  private EffectDefinition() {}

  public static DefinitionId id(Workspace workspace, String effect) {
    return new DefinitionId(workspace, NAME, effect);
  }

  public static Definition of(Workspace workspace, String effect, Instant registeredAt) {
    var work =
        new StepDefinition.Work(effect, StepDefinition.Work.DEFAULT_LEASE, RetryPolicy.DEFAULT);
    return new Definition(
        id(workspace, effect),
        List.of(new StepDefinition(STEP, new StepDefinition.Task(work))),
        registeredAt);
  }
}
