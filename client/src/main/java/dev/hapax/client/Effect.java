package dev.hapax.client;

/**
 * {@link Work} without a result.
 *
 * @param <E> what it throws
 */
@FunctionalInterface
public interface Effect<E extends Exception> {

  /** Does the work. */
  void run(Claim claim) throws E;
}
