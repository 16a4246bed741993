package dev.hapax.domain.run;

/** What became of a failure. */
public sealed interface FailTaskOutcome permits FailTaskOutcome.Failed, TaskLost {
  /** The attempt has ended; the run goes on, or has failed too. */
  record Failed(Run run) implements FailTaskOutcome {}
}
