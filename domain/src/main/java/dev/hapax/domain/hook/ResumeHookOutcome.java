package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalOutcome;

/** What became of a signal to the owner of a token. */
public sealed interface ResumeHookOutcome {
  /**
   * It is in the owner's inbox.
   *
   * @param delivered the owner waited for it, and goes on
   */
  record Received(Run owner, boolean delivered) implements ResumeHookOutcome {}

  /** A signal with this id came before; this one was not kept. */
  record Duplicate(Run owner) implements ResumeHookOutcome {}

  /** The owner takes no more signals. */
  record Full(Run owner, SignalOutcome.Full full) implements ResumeHookOutcome {}

  /** Nobody owns the token, or its owner has ended. */
  record NotFound() implements ResumeHookOutcome {}

  /** Nothing was decided: that depends on this run. */
  record KnowFirst(RunId owner) implements ResumeHookOutcome {}
}
