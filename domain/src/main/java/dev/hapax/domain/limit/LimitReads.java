package dev.hapax.domain.limit;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.LineId;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads limits without locks; every acknowledged write is visible. */
public interface LimitReads {
  /** The largest number of waiting runs that is counted. */
  int MOST_COUNTED = 10_000;

  /** Finds a limit that runs have reached, or that is set. */
  CompletableFuture<Optional<Found>> find(LimitKey key);

  /** Counts the runs that wait at a limit with a smaller turn than this. */
  CompletableFuture<Integer> ahead(LimitKey key, long turn);

  /** Lists the limits of a workspace by name and value. */
  CompletableFuture<Page<Found, LimitKey>> list(Query query);

  /**
   * Lists limits of all workspaces that may have room for the first run that waits.
   *
   * @param after the end of the page before; empty = the first page
   * @param searched how many lines with a place a page covers
   */
  CompletableFuture<Page<LimitKey, LineId>> free(Optional<LineId> after, int searched);

  /**
   * A page of limits.
   *
   * @param name empty = of any name
   * @param after the last one of the page before; empty = the first page
   */
  record Query(Workspace workspace, Optional<String> name, Optional<LimitKey> after, int size) {}

  /**
   * A limit and its line.
   *
   * @param declared the largest number that steps have declared; 0 = no run has reached it
   * @param oldest when the first run began to wait
   * @param ofAll the number that is set for all values; empty = none
   * @param own what is set for this value; empty = nothing
   */
  record Found(
      LimitKey key,
      int declared,
      int running,
      int waiting,
      Optional<Instant> oldest,
      Optional<Integer> ofAll,
      Optional<LimitSetting> own) {

    /** The number that is set and applies; empty = those of the steps apply. */
    public Optional<Integer> set() {
      return own.map(setting -> setting.maxRunning().orElse(declared)).or(() -> ofAll);
    }

    /** The number that applies; 0 = none is known. */
    public int maxRunning() {
      return set().orElse(declared);
    }
  }
}
