package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;

/** The outcome of {@link DisposeHook}. */
public sealed interface DisposeHookOutcome {
  /**
   * The token is free.
   *
   * @param already since an earlier call; nothing changed
   */
  record Disposed(Hook hook, Run run, boolean already) implements DisposeHookOutcome {}

  /** No run owns the token. */
  record NotFound() implements DisposeHookOutcome {}

  /** Another run than the expected one owns the token; nothing changed. */
  record Conflict(Run owner) implements DisposeHookOutcome {}
}
