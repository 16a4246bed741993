package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** Does a step of a run. */
@FunctionalInterface
public interface Handler {

  /**
   * Does the step. Give {@link Task#stepId} to other systems as the idempotency key: the step may
   * run again after its effect, here or elsewhere.
   *
   * @return the output: anything with a JSON, a {@link Value}, or null for none; at most 256 KiB.
   *     Or {@link Result#skipped} or {@link Result#release}
   * @throws Exception a failure of this attempt, which is retried as the step says; a {@link
   *     FinalFailure} fails the run
   */
  @Nullable Object handle(Task task) throws Exception;
}
