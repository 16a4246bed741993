package dev.hapax.domain.hook;

import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads hook tokens without locks; every acknowledged write is visible. */
public interface HookReads {
  /** Finds the owner of a token in one snapshot; empty = no run owns it. */
  CompletableFuture<Optional<Owned>> find(HookId id);

  /** Lists the tokens that a run acquired and did not dispose of, regardless of their owner now. */
  CompletableFuture<List<Held>> held(RunId run);

  /**
   * A token with its owner.
   *
   * @param at by the database's clock
   */
  record Owned(Hook hook, Run owner, Instant at) {}
}
