package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** How a branch of {@link Task#mapSettled} ended. */
public sealed interface BranchOutcome<T extends @Nullable Object> {

  /** It returned this value. */
  record Returned<T extends @Nullable Object>(T value) implements BranchOutcome<T> {}

  /** It threw this exception, such as a {@link HapaxException.PartFailed}. */
  record Failed<T extends @Nullable Object>(Exception exception) implements BranchOutcome<T> {}
}
