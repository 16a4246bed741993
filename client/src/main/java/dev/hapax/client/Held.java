package dev.hapax.client;

import dev.hapax.v1.ClaimLost;
import org.jspecify.annotations.Nullable;

/**
 * How work ended that was done under a claim. A failure of the work is thrown.
 *
 * @param <T> the result of the work
 * @param <E> what Hapax answers when the end is recorded
 */
sealed interface Held<T extends @Nullable Object, E> {

  /**
   * It is recorded.
   *
   * @param answer null = a transaction recorded it
   */
  record Done<T extends @Nullable Object, E>(T value, @Nullable E answer) implements Held<T, E> {}

  /**
   * Another holder had taken over.
   *
   * @param failure what the work threw
   */
  record Lost<T extends @Nullable Object, E>(ClaimLost lost, @Nullable Throwable failure)
      implements Held<T, E> {}

  /** It is done, but Hapax did not confirm the record. */
  record Unrecorded<T extends @Nullable Object, E>(T value, HapaxException cause)
      implements Held<T, E> {}

  /** The transaction that completed it was not committed, and the failure is recorded. */
  record NotCommitted<T extends @Nullable Object, E>(E answer) implements Held<T, E> {}
}
