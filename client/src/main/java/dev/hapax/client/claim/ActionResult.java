package dev.hapax.client.claim;

import dev.hapax.client.Codec;
import dev.hapax.v1.Payload;
import org.jspecify.annotations.Nullable;

/** What an action came to. */
public sealed interface ActionResult<T extends @Nullable Object> {

  /** It succeeded: the entity goes to the step's {@code successful_state}. */
  static <T extends @Nullable Object> ActionResult<T> success(T value) {
    return new Success<>(value, null);
  }

  /**
   * It succeeded, and the value is recorded: in the history of the entity, and as {@code output} in
   * the input of the after-effect. At most {@link Codec#MAX_BYTES}.
   */
  static <T extends @Nullable Object> ActionResult<T> success(T value, Codec<T> codec) {
    return new Success<>(value, codec.encode(value));
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

  /**
   * See {@link #success}.
   *
   * @param output what is recorded; null = nothing
   */
  record Success<T extends @Nullable Object>(T value, @Nullable Payload output)
      implements ActionResult<T> {}

  /** See {@link #failure}. */
  record Failure<T extends @Nullable Object>(String message) implements ActionResult<T> {}

  /** See {@link #invalid}. */
  record Invalid<T extends @Nullable Object>(String message) implements ActionResult<T> {}
}
