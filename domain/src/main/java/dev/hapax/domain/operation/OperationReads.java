package dev.hapax.domain.operation;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Reads operations without locks; every acknowledged write is visible, expired records are not. */
public interface OperationReads {
  CompletableFuture<Optional<Operation>> find(OperationId id);

  /**
   * Lists operations, newest grant first; operations that begin later do not shift the pages. A
   * page may end early to limit its size, and may omit payloads that were not requested.
   */
  CompletableFuture<Page<Listed, Position>> list(Query query);

  /** Returns those of these operations that no caller holds any more. */
  CompletableFuture<Set<OperationId>> ended(Set<OperationId> held);

  /**
   * Lists released operations whose time to live has ended, as candidates of the sweep.
   *
   * @param from excludes operations that expired before this time
   * @param atMost the number of operations, earliest expiry first
   */
  CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost);

  /** A released operation and the end of its time to live. */
  record Forgotten(OperationId id, Instant expiredAt) {}

  /** A listed operation with its position. */
  record Listed(Position position, Operation operation) {}

  /**
   * The request for one page of a list.
   *
   * @param payloads include results and the details of failures
   * @param after the last position of the previous page; empty = the first page
   */
  record Query(
      Workspace workspace,
      OperationFilter filter,
      boolean payloads,
      int size,
      Optional<Position> after) {}

  /** The position of an operation in a list: its grant time and hash. */
  record Position(Instant startedAt, UUID hash) {}
}
