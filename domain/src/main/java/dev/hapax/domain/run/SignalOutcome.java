package dev.hapax.domain.run;

/** What became of a signal. */
public sealed interface SignalOutcome {
  /** The run has it, from now on or since it was sent before. */
  record Accepted(Run run, SignalDisposition disposition) implements SignalOutcome {}

  record NotFound() implements SignalOutcome {}

  /** No step will consume it. */
  record RunEnded(RunStatus status) implements SignalOutcome {}

  /**
   * The run takes no more signals.
   *
   * @param inbox too many lie unconsumed; otherwise its history is full
   */
  record Full(boolean inbox) implements SignalOutcome {}
}
