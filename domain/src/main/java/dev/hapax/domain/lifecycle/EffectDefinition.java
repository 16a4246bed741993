package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import java.time.Instant;
import java.util.List;

/** Builds the definition of an after-effect: one step, in the queue with the effect's name. */
public final class EffectDefinition {
  /** The name of all these definitions; the version begins with the name of the effect. */
  public static final String NAME = "hapax.after-effect";

  public static final String STEP = "after-effect";

  /** The run label that holds the lifecycle of the entity. */
  public static final String LIFECYCLE_LABEL = "hapax.lifecycle";

  private EffectDefinition() {}

  /** The definition of an effect without terms. */
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
