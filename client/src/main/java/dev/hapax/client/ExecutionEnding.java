package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** The end that an execution, or a branch of it, has chosen before its code has ended. */
final class ExecutionEnding {

  private final @Nullable ExecutionEnding parent;
  private @Nullable ExecutionEnd chosen;

  /**
   * Nothing is chosen yet.
   *
   * @param parent of what the branch belongs to; null = of the execution itself
   */
  ExecutionEnding(@Nullable ExecutionEnding parent) {
    this.parent = parent;
  }

  /** Chooses an end; throw the result. */
  EndExecution choose(ExecutionEnd end) {
    propagate(end);
    return new EndExecution();
  }

  /** Chooses the end that a branch has chosen. */
  synchronized void propagate(ExecutionEnd end) {
    chosen = chosen == null ? end : chosen.or(end);
  }

  /** Null = none. */
  synchronized @Nullable ExecutionEnd chosen() {
    return chosen;
  }

  /** Whether an end is chosen, here or for what this branch belongs to. */
  boolean isChosen() {
    return chosen() != null || (parent != null && parent.isChosen());
  }

  /** Stops code that continues after its end. */
  void check() {
    if (isChosen()) {
      throw new EndExecution();
    }
  }
}
