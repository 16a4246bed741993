package dev.hapax.client.operation;

import dev.hapax.client.WorkFailure;
import org.jspecify.annotations.Nullable;

/** What is to be done once. */
@FunctionalInterface
public interface Work<T extends @Nullable Object, E extends Exception> {

  /**
   * Does it. What it throws is recorded as a failure and thrown on to the caller; throw a {@link
   * WorkFailure} to say what it means for the key.
   */
  T run(RunningOperation operation) throws E;
}
