package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/** How a branch of {@link WorkflowContext#mapSettled} ended. */
public sealed interface BranchOutcome<T extends @Nullable Object> {

  /** The branch returned this value. */
  record Value<T extends @Nullable Object>(T value) implements BranchOutcome<T> {}

  /** The branch threw this exception, such as a {@link PartFailedException}. */
  record Failed<T extends @Nullable Object>(Exception exception) implements BranchOutcome<T> {}
}
