package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import java.time.Instant;
import java.util.List;

/** What the runs of an after-effect go through: one step, in a queue of the effect's name. */
public final class EffectDefinition {
  /** The name of all of them; the version begins with the name of the effect. */
  public static final String NAME = "hapax.after-effect";

  public static final String STEP = "after-effect";

  /** The label of such a run with the lifecycle of its entity. */
  public static final String LIFECYCLE_LABEL = "hapax.lifecycle";

  private EffectDefinition() {}

  /** Of an effect that the lifecycle says nothing more of. */
  public static Definition plain(Workspace workspace, String effect, Instant registeredAt) {
    return of(workspace, effect, EffectTerms.Queued.DEFAULT, registeredAt);
  }

  static Definition of(
      Workspace workspace, String effect, EffectTerms.Queued terms, Instant registeredAt) {
    var work = new StepDefinition.Work(effect, terms.lease(), terms.retry());
    return new Definition(
        terms.of(effect).definition(workspace),
        List.of(new StepDefinition(STEP, new StepDefinition.Task(work))),
        registeredAt);
  }
}
