package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;

/** What became of a token that was to be freed. */
public sealed interface DisposeHookOutcome {
  /** It is free, now or since it was asked for before. */
  record Disposed(Hook hook, Run run) implements DisposeHookOutcome {}

  /** Nobody owns it. */
  record NotFound() implements DisposeHookOutcome {}

  /** Another run than the one that was meant owns it; nothing changed. */
  record Conflict(Run owner) implements DisposeHookOutcome {}
}
