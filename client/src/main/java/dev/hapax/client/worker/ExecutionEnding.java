package dev.hapax.client.worker;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The end that a workflow, or a branch of it, has chosen before its code has ended. */
final class ExecutionEnding {

  private final @Nullable ExecutionEnding parent;
  private @Nullable ExecutionEnd chosen;

  /**
   * Nothing is chosen yet.
   *
   * @param parent of what the branch belongs to; null = of the workflow itself
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

  synchronized Optional<ExecutionEnd> chosen() {
    return Optional.ofNullable(chosen);
  }

  /** Whether an end is chosen, here or for what this branch belongs to. */
  boolean isChosen() {
    return chosen().isPresent() || (parent != null && parent.isChosen());
  }

  /** Stops code that continues after its end. */
  void check() {
    if (isChosen()) {
      throw new EndExecution();
    }
  }
}
