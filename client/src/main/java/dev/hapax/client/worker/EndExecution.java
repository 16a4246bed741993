package dev.hapax.client.worker;

/** Unwinds an execution that ends before its code does. For {@link WorkflowExecution} only. */
final class EndExecution extends Error {

  EndExecution() {
    super("the execution of the workflow ends here; do not catch this error", null, false, false);
  }
}
