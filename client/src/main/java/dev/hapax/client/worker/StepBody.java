package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/**
 * The body of a durable step in a {@link Workflow}. It runs until its result is recorded, and never
 * after that.
 */
@FunctionalInterface
public interface StepBody<T extends @Nullable Object, E extends Exception> {

  /**
   * Runs the step. An exception is not recorded: the next execution runs the step again.
   *
   * @param stepId globally unique, and the same in every execution: pass it to other systems as the
   *     idempotency key
   */
  T run(String stepId) throws E;
}
