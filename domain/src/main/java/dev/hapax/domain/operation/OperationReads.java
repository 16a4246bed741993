package dev.hapax.domain.operation;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write; never shows what is forgotten. */
public interface OperationReads {
  CompletableFuture<Optional<Operation>> find(OperationId id);

  /**
   * Newest grant first; what begins later does not move what is on a page. A page ends early rather
   * than be too large, and may leave payloads out that are not wanted.
   */
  CompletableFuture<Page<Listed, Position>> list(Query query);

  /** Which of these nobody holds any more. */
  CompletableFuture<Set<OperationId>> ended(Set<OperationId> held);

  /**
   * Released operations whose time to live is over, for the sweep to propose.
   *
   * @param from leaves out those that expired before
   * @param atMost so many, those that expired first
   */
  CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost);

  /** A released operation, and when its time to live ended. */
  record Forgotten(OperationId id, Instant expiredAt) {}

  /** One of a list, and its place in it. */
  record Listed(Position position, Operation operation) {}

  /**
   * A part of a list.
   *
   * @param payloads results and the details of failures are wanted, too
   * @param after the page begins behind it; empty = with the newest
   */
  record Query(
      Workspace workspace,
      OperationFilter filter,
      boolean payloads,
      int size,
      Optional<Position> after) {}

  /** A place in the list: behind the operation granted then under this hash. */
  record Position(Instant startedAt, UUID hash) {}
}
