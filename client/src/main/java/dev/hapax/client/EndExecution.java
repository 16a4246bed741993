package dev.hapax.client;

/** Unwinds an execution that ends before its code does. */
final class EndExecution extends Error {

  EndExecution() {
    super("the execution of the step ends here; do not catch this error", null, false, false);
  }
}
