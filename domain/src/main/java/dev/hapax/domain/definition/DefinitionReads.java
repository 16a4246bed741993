package dev.hapax.domain.definition;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged registration. */
public interface DefinitionReads {
  CompletableFuture<Optional<Definition>> find(DefinitionId id);

  /** The version of this name that was registered last. */
  CompletableFuture<Optional<Definition>> latest(Workspace workspace, String name);

  /** Newest first. */
  CompletableFuture<Page<Definition, Position>> list(Query query);

  /** What to list; an empty name = all names. */
  record Query(Workspace workspace, Optional<String> name, int size, Optional<Position> after) {}

  /** A place in the list: behind this one. */
  record Position(Instant registeredAt, String name, String version) {}
}
