package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/**
 * The body of a part of a code step. It runs until its output is recorded, and never after that.
 *
 * @param <T> its output
 */
@FunctionalInterface
public interface Part<T extends @Nullable Object> {

  /**
   * Runs the body.
   *
   * @param id globally unique, and the same on every attempt and in every execution: give it to
   *     other systems as the idempotency key
   * @throws Exception a failure of this attempt of the part; see {@link Task#record}
   */
  T run(String id) throws Exception;
}
