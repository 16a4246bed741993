package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalOutcome;

/** What became of a signal to the owner of a token. */
public sealed interface SignalHookOutcome {
  /** The owner has it, from now on or since it was sent before. */
  record Accepted(Run owner, SignalDisposition disposition) implements SignalHookOutcome {}

  /** The owner takes no more signals. */
  record Full(Run owner, SignalOutcome.Full full) implements SignalHookOutcome {}

  /** Nobody owns the token, or its owner has ended. */
  record NotFound() implements SignalHookOutcome {}
}
