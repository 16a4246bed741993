package dev.hapax.domain.run;

/** What became of a signal. */
public sealed interface SignalOutcome {
  /**
   * It is in the inbox.
   *
   * @param delivered the run waited for it, and goes on
   */
  record Received(Run run, boolean delivered) implements SignalOutcome {}

  /** A signal with this id came before; this one was not kept. */
  record Duplicate() implements SignalOutcome {}

  record NotFound() implements SignalOutcome {}

  /** Nobody will ever look into the inbox. */
  record RunEnded(RunStatus status) implements SignalOutcome {}

  /**
   * The run takes no more signals.
   *
   * @param inbox too many lie unconsumed; otherwise its history is full
   */
  record Full(boolean inbox) implements SignalOutcome {}
}
