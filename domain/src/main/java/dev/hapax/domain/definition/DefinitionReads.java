package dev.hapax.domain.definition;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads definitions without locks; every acknowledged registration is visible. */
public interface DefinitionReads {
  CompletableFuture<Optional<Definition>> find(DefinitionId id);

  /** Finds the latest version of this name. */
  CompletableFuture<Optional<Definition>> latest(Workspace workspace, String name);

  /** Lists definitions, newest first. */
  CompletableFuture<Page<Definition, Position>> list(Query query);

  /** The request for one page of a list; an empty name = all names. */
  record Query(Workspace workspace, Optional<String> name, int size, Optional<Position> after) {}

  /** The position of a definition in a list. */
  record Position(Instant registeredAt, String name, String version) {}
}
