package dev.hapax.client.operation;

import dev.hapax.client.WorkFailure;
import org.jspecify.annotations.Nullable;

/** Work that runs once per request id. */
@FunctionalInterface
public interface Work<T extends @Nullable Object, E extends Exception> {

  /**
   * Does the work. An exception is recorded as a failure and rethrown to the caller; throw a {@link
   * WorkFailure} to set its kind.
   */
  T run(RunningOperation operation) throws E;
}
