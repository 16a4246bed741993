package dev.hapax.domain.hook;

import dev.hapax.domain.hook.RetryRunWithHooks.Held;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface HookReads {
  /** Who owns a token, at one instant; empty = nobody. */
  CompletableFuture<Optional<Owned>> find(HookId id);

  /** The tokens a run got and did not give up, whoever has them now. */
  CompletableFuture<List<Held>> held(RunId run);

  /**
   * A token with its owner.
   *
   * @param at by the database's clock
   */
  record Owned(Hook hook, Run owner, Instant at) {}
}
