package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/**
 * The body of a part of a {@link Workflow}. It runs until its output is recorded, and never after
 * that.
 */
@FunctionalInterface
public interface PartBody<T extends @Nullable Object> {

  /**
   * Runs the body.
   *
   * @param partId globally unique, and the same on every attempt and in every execution: pass it to
   *     other systems as the idempotency key
   * @throws Exception a failure of this attempt of the part; see {@link WorkflowContext#record}
   */
  T run(String partId) throws Exception;
}
