package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/**
 * Work that happens once.
 *
 * @param <T> its result
 * @param <E> what it throws; an exception frees the key, unless it is a {@link FinalFailure} or an
 *     {@link UnknownEffect}
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object, E extends Exception> {

  /** Does the work, and returns what a duplicate gets, too. */
  T run(Claim claim) throws E;
}
