package dev.hapax.client.operation;

import org.jspecify.annotations.Nullable;

/** The result of beginning an operation. */
sealed interface BeginResult<T extends @Nullable Object> {

  /** The caller does the work. */
  record Granted<T extends @Nullable Object>(RunningOperation operation)
      implements BeginResult<T> {}

  /** The outcome is known; there is no work to do. */
  record Decided<T extends @Nullable Object>(Outcome<T> outcome) implements BeginResult<T> {}
}
