package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/** A step within a {@link Workflow}: done until it is recorded, and then never again. */
@FunctionalInterface
public interface StepBody<T extends @Nullable Object, E extends Exception> {

  /**
   * Does it. What it throws is not recorded: the next execution runs it again.
   *
   * @param stepId the same in every execution and unique in the world: hand it to what the step
   *     calls as its idempotency key
   */
  T run(String stepId) throws E;
}
