package dev.hapax.domain.hook;

import dev.hapax.domain.Page;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads hook tokens without locks; every acknowledged write is visible. */
public interface HookReads {
  /** The largest number of waiting runs that is counted. */
  int MOST_COUNTED = ConflictPolicy.Queue.MAX_LIMIT;

  /** How many of the waiting runs are listed. */
  int MOST_LISTED = 20;

  /** Finds a token in one snapshot; empty = no run owns it or waits for it. */
  CompletableFuture<Optional<Found>> find(HookId id);

  /** Counts the runs that wait for a token with a smaller turn than this. */
  CompletableFuture<Integer> ahead(HookId id, long turn);

  /** Lists the tokens that a run acquired and did not dispose of, regardless of their owner now. */
  CompletableFuture<List<Held>> held(RunId run);

  /**
   * Lists tokens of all workspaces for which a run waits and that no living run owns: their turns
   * may have to be passed.
   *
   * @param after the end of the page before; empty = the first page
   * @param searched how many tokens with a line a page covers
   */
  CompletableFuture<Page<HookId, HookId>> unowned(Optional<HookId> after, int searched);

  /**
   * A token with its owner and its line.
   *
   * @param owner empty = none
   * @param waiting how many runs wait
   * @param first the first of them, in their order
   * @param at by the database's clock
   */
  record Found(Hook hook, Optional<Run> owner, int waiting, List<Waiting> first, Instant at) {
    public Found {
      first = List.copyOf(first);
    }

    /** The run that the token leads to: its owner, or else the first one that waits. */
    public RunId run() {
      return owner.map(Run::id).orElseGet(() -> first.getFirst().run());
    }
  }

  /** A run that waits for a token. */
  record Waiting(RunId run, Instant since) {}
}
