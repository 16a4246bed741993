package dev.hapax.domain.run;

import dev.hapax.domain.Fence;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;

/**
 * The progress of a run: its current step and attempt.
 *
 * @param step index of the current step, from 0; after the last = all are done
 * @param attempt the last attempt begun at this step; 0 = none
 * @param allowed the number of the last attempt: progress of the code allows further ones
 * @param fence the highest fence that this run has granted
 */
public record StepPosition(int step, int attempt, int allowed, Fence fence) {
  static StepPosition first(Definition definition) {
    return new StepPosition(0, 0, lastAttempt(definition, 0, 0), new Fence(0));
  }

  StepPosition next(Definition definition) {
    return new StepPosition(step + 1, 0, lastAttempt(definition, step + 1, 0), fence);
  }

  StepPosition begun(int next, Fence given) {
    return new StepPosition(step, next, allowed, given);
  }

  /** The same position with as many further attempts as the policy allows. */
  StepPosition withNewBudget(Definition definition) {
    return new StepPosition(step, attempt, lastAttempt(definition, step, attempt), fence);
  }

  /** Whether the step fails when its current attempt does. */
  public boolean isLastAttempt() {
    return attempt >= allowed;
  }

  private static int lastAttempt(Definition definition, int step, int before) {
    return definition.hasStep(step)
        ? definition
            .step(step)
            .work()
            .map(StepDefinition.Work::retry)
            .map(retry -> retry.lastAttempt(before))
            .orElse(before + 1)
        : before + 1;
  }
}
