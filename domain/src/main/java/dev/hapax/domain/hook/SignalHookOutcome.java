package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalOutcome;

/** The outcome of {@link SignalHook}. */
public sealed interface SignalHookOutcome {
  /** The owner has received the signal, now or before. */
  record Accepted(Run owner, SignalDisposition disposition) implements SignalHookOutcome {}

  /** The owner accepts no more signals. */
  record Full(Run owner, SignalOutcome.Full full) implements SignalHookOutcome {}

  /** No run owns the token, or its owner has ended. */
  record NotFound() implements SignalHookOutcome {}
}
