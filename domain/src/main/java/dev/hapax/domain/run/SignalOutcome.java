package dev.hapax.domain.run;

/** The outcome of {@link SignalRun}. */
public sealed interface SignalOutcome {
  /** The run has received the signal, now or before. */
  record Accepted(Run run, SignalDisposition disposition) implements SignalOutcome {}

  record NotFound() implements SignalOutcome {}

  /** The run has ended, so no step would consume the signal. */
  record RunEnded(RunStatus status) implements SignalOutcome {}

  /**
   * The run accepts no more signals.
   *
   * @param inbox the inbox is full; otherwise the history is
   */
  record Full(boolean inbox) implements SignalOutcome {}
}
