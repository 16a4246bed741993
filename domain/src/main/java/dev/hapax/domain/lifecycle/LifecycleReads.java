package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface LifecycleReads {
  int MAX_PER_WORKSPACE = 1_000;

  CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id);

  CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id);

  /**
   * A part of those of a workspace, by name; less than asked for, where that would be large.
   *
   * @param after the name before the first; empty = from the beginning
   */
  CompletableFuture<Page<AppliedLifecycle, String>> list(
      Workspace workspace, int size, Optional<String> after);

  /**
   * Whether it is there, or may come. Of several who ask at once each is told the same, so that a
   * few more may come than there is room for.
   */
  CompletableFuture<Boolean> hasRoom(LifecycleId id);
}
