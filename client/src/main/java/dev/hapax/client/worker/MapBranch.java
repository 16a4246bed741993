package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/** The code of a branch of {@link WorkflowContext#map}. */
@FunctionalInterface
public interface MapBranch<
    I extends @Nullable Object, T extends @Nullable Object, E extends Exception> {

  /**
   * Executes the branch for one item.
   *
   * @param branch the context of this branch: its parts have names of their own. It cannot wait for
   *     time or signals
   */
  T run(WorkflowContext branch, I item) throws E;
}
