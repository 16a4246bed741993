package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** The code of a branch of {@link Task#map}. */
@FunctionalInterface
public interface MapBranch<
    I extends @Nullable Object, T extends @Nullable Object, E extends Exception> {

  /**
   * Runs the branch of one item.
   *
   * @param branch the task of this branch, whose parts have names of their own. It cannot wait for
   *     time or signals
   */
  T run(Task branch, I item) throws E;
}
