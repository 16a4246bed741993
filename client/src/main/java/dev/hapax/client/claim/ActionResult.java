package dev.hapax.client.claim;

import dev.hapax.client.PayloadCodec;
import dev.hapax.v1.Payload;
import org.jspecify.annotations.Nullable;

/** The result of an action. */
public sealed interface ActionResult<T extends @Nullable Object> {

  /** Success: the entity goes to the step's {@code successful_state}. */
  static <T extends @Nullable Object> ActionResult<T> success(T value) {
    return new Success<>(value, null);
  }

  /**
   * Success with a recorded value: it is in the history of the entity, and as {@code output} in the
   * input of the after-effect. At most {@link PayloadCodec#MAX_BYTES}.
   */
  static <T extends @Nullable Object> ActionResult<T> success(T value, PayloadCodec<T> codec) {
    return new Success<>(value, codec.encode(value));
  }

  /**
   * Failure: the entity returns to its former status.
   *
   * @param message the reason, for the caller and the history, which cuts it after 4 KiB
   */
  static <T extends @Nullable Object> ActionResult<T> failure(String message) {
    return new Failure<>(message);
  }

  /**
   * Invalid input: the entity returns to its former status.
   *
   * @param message as in {@link #failure}
   */
  static <T extends @Nullable Object> ActionResult<T> invalid(String message) {
    return new Invalid<>(message);
  }

  /**
   * See {@link #success}.
   *
   * @param output the recorded value; null = none
   */
  record Success<T extends @Nullable Object>(T value, @Nullable Payload output)
      implements ActionResult<T> {}

  /** See {@link #failure}. */
  record Failure<T extends @Nullable Object>(String message) implements ActionResult<T> {}

  /** See {@link #invalid}. */
  record Invalid<T extends @Nullable Object>(String message) implements ActionResult<T> {}
}
