package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface LifecycleReads {
  CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id);

  CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id);

  /** All of a workspace, or of all of them, by name: there are few. */
  CompletableFuture<List<AppliedLifecycle>> list(Optional<Workspace> workspace);
}
