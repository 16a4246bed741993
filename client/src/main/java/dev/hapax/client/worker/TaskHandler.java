package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;

/**
 * Executes a step. Called on a thread that may block.
 *
 * <p>A step may run again after its effect, on this worker or another: pass {@link
 * TaskContext#stepId}, the same on every attempt, to other systems as the idempotency key.
 */
@FunctionalInterface
public interface TaskHandler {

  /**
   * Executes the step.
   *
   * @return {@link Completion}, {@link Suspension} or {@link Release}
   * @throws Exception a failure: {@link FinalFailure} ends the run, any other is retried by the
   *     step's policy
   */
  TaskResult handle(TaskContext task) throws Exception;
}
