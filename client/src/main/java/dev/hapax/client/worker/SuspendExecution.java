package dev.hapax.client.worker;

/**
 * Unwinds an execution that has to wait. No failure, and nobody's but {@link WorkflowExecution}'s.
 */
final class SuspendExecution extends Error {

  SuspendExecution() {
    super("the workflow waits; do not catch this", null, false, false);
  }
}
