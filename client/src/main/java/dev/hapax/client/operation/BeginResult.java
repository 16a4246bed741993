package dev.hapax.client.operation;

import org.jspecify.annotations.Nullable;

/** What Begin led to. */
sealed interface BeginResult<T extends @Nullable Object> {

  /** Do the work. */
  record Granted<T extends @Nullable Object>(RunningOperation operation)
      implements BeginResult<T> {}

  /** There is no work to do here. */
  record Decided<T extends @Nullable Object>(Outcome<T> outcome) implements BeginResult<T> {}
}
