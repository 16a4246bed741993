package dev.hapax.client.claim;

import org.jspecify.annotations.Nullable;

/** An action on an entity, run by one holder at a time. */
@FunctionalInterface
public interface Action<T extends @Nullable Object, E extends Exception> {

  /**
   * Runs the action. An exception reverts the entity as a failure does, and is rethrown to the
   * caller.
   */
  ActionResult<? extends T> run(RunningAction action) throws E;
}
