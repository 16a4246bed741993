package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads lifecycles without locks; every acknowledged write is visible. */
public interface LifecycleReads {
  int MAX_PER_WORKSPACE = 1_000;

  CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id);

  CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id);

  /**
   * Lists the lifecycles of a workspace by name; a page may end early to limit its size.
   *
   * @param after the last name of the previous page; empty = the first page
   */
  CompletableFuture<Page<AppliedLifecycle, String>> list(
      Workspace workspace, int size, Optional<String> after);

  /**
   * Counts the lifecycles of a workspace, up to the limit. Concurrent callers may get the same
   * answer, so the limit can be exceeded slightly.
   */
  CompletableFuture<Integer> count(Workspace workspace);
}
