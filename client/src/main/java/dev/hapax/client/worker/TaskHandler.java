package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;

/**
 * Does a step. Called on a thread that may block.
 *
 * <p>A step may be attempted again after its effect, by this worker or another: hand {@link
 * TaskContext#stepId}, the same on every attempt, to what the work calls as its idempotency key.
 */
@FunctionalInterface
public interface TaskHandler {

  /**
   * Does it.
   *
   * @return {@link Completion}, {@link Suspension} or {@link Release}
   * @throws Exception what failed: {@link FinalFailure} ends the run, anything else is attempted
   *     again as the step's policy says
   */
  TaskResult handle(TaskContext task) throws Exception;
}
