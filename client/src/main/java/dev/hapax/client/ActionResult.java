package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** What an action came to. */
public sealed interface ActionResult<T extends @Nullable Object> {

  /** It succeeded: the entity goes to the step's {@code successful_state}. */
  static <T extends @Nullable Object> ActionResult<T> success(T value) {
    return new Success<>(value);
  }

  /**
   * It came to nothing: the entity goes back to where it was.
   *
   * @param message why, for the caller and the history; more than 4 KiB are cut there
   */
  static <T extends @Nullable Object> ActionResult<T> failure(String message) {
    return new Failure<>(message);
  }

  /**
   * What it was asked to do was not valid: the entity goes back to where it was.
   *
   * @param message as in {@link #failure}
   */
  static <T extends @Nullable Object> ActionResult<T> invalid(String message) {
    return new Invalid<>(message);
  }

  /** See {@link #success}. */
  record Success<T extends @Nullable Object>(T value) implements ActionResult<T> {}

  /** See {@link #failure}. */
  record Failure<T extends @Nullable Object>(String message) implements ActionResult<T> {}

  /** See {@link #invalid}. */
  record Invalid<T extends @Nullable Object>(String message) implements ActionResult<T> {}
}
