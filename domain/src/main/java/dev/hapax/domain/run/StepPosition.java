package dev.hapax.domain.run;

import dev.hapax.domain.Fence;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;

/**
 * The progress of a run: its current step and attempt.
 *
 * @param step index of the current step, from 0; after the last = all are done
 * @param attempt the last attempt begun at this step; 0 = none
 * @param allowed the largest number of attempts
 * @param fence the highest fence that this run has granted
 */
public record StepPosition(int step, int attempt, int allowed, Fence fence) {
  static StepPosition first(Definition definition) {
    return new StepPosition(0, 0, attempts(definition, 0), new Fence(0));
  }

  StepPosition next(Definition definition) {
    return new StepPosition(step + 1, 0, attempts(definition, step + 1), fence);
  }

  StepPosition begun(int next, Fence given) {
    return new StepPosition(step, next, allowed, given);
  }

  StepPosition allowing(int more) {
    return new StepPosition(step, attempt, attempt + more, fence);
  }

  boolean isLastAttempt() {
    return attempt >= allowed;
  }

  static int attempts(Definition definition, int step) {
    return definition.hasStep(step)
        ? definition
            .step(step)
            .work()
            .map(StepDefinition.Work::retry)
            .map(RetryPolicy::maxAttempts)
            .orElse(1)
        : 1;
  }
}
