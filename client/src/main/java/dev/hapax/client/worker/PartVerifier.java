package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/** Finds out whether a part that is in doubt took effect. */
@FunctionalInterface
public interface PartVerifier<T extends @Nullable Object> {

  /**
   * Returns what is known of the effect.
   *
   * @param partId the id that the body got
   * @throws Exception if that cannot be found out; this execution fails, and the next one verifies
   *     again
   */
  Evidence<T> verify(String partId) throws Exception;
}
