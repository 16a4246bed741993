package dev.hapax.client.worker;

/** Unwinds an execution that waits. For {@link WorkflowExecution} only, and no failure. */
final class SuspendExecution extends Error {

  SuspendExecution() {
    super("the workflow is suspended; do not catch this error", null, false, false);
  }
}
