package dev.hapax.client.claim;

import org.jspecify.annotations.Nullable;

/** What is to be done to an entity by one holder at a time. */
@FunctionalInterface
public interface Action<T extends @Nullable Object, E extends Exception> {

  /**
   * Does it. What it throws lets the entity go back as a failure does, and is thrown on to the
   * caller.
   */
  ActionResult<? extends T> run(RunningAction action) throws E;
}
