package dev.hapax.application.entity;

import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.Page;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.StuckKind;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Lists what is claimed, in doubt or stopped: entities, then operations, then runs. */
public record HeldClaims(Entities entities, Operations operations, Runs runs) {

  /** One of the lists that are read one after another. */
  public enum Section {
    ENTITIES(StuckKind.ENTITY_CLAIMED, StuckKind.ENTITY_RECOVERING),
    OPERATIONS(StuckKind.OPERATION_INDETERMINATE),
    FAILED_RUNS(StuckKind.RUN_FAILED, StuckKind.STEP_IN_DOUBT),
    RUNS_IN_DOUBT(StuckKind.STEP_IN_DOUBT),
    PAUSED_RUNS(StuckKind.RUN_PAUSED),
    AWAITING_RUNS(StuckKind.RUN_AWAITING);

    private final Set<StuckKind> kinds;

    Section(StuckKind... kinds) {
      this.kinds = Set.of(kinds);
    }

    /** The section that lists claims of this kind. */
    public static Section of(StuckKind kind) {
      return Stream.of(values())
          .filter(section -> section.kinds.contains(kind))
          .findFirst()
          .orElseThrow();
    }
  }

  /**
   * A position in the whole list.
   *
   * @param after empty = at the beginning of the section
   */
  public record Position(Section section, Optional<HeldClaim.Cursor> after) {}

  /**
   * A filter.
   *
   * @param kinds at least one
   * @param lifecycle restricts the list to entities of this lifecycle
   */
  public record Query(
      Workspace workspace,
      Set<StuckKind> kinds,
      Optional<String> lifecycle,
      Optional<Instant> sinceBefore,
      int size) {
    public Query {
      kinds = Set.copyOf(kinds);
    }

    /** The sections that can have results, in order. */
    public List<Section> sections() {
      return Stream.of(Section.values())
          .filter(section -> section.kinds.stream().anyMatch(kinds::contains))
          .filter(section -> lifecycle.isEmpty() || section == Section.ENTITIES)
          .toList();
    }

    private Optional<Position> after(Section section) {
      return sections().stream()
          .filter(next -> next.compareTo(section) > 0)
          .findFirst()
          .map(next -> new Position(next, Optional.empty()));
    }
  }

  /**
   * Lists claims.
   *
   * @param from in one of the query's sections; empty = the first page
   */
  public CompletableFuture<Page<HeldClaim, Position>> list(Query query, Optional<Position> from) {
    return from.or(
            () ->
                query.sections().stream()
                    .findFirst()
                    .map(first -> new Position(first, Optional.empty())))
        .map(start -> list(query, start, List.of()))
        .orElseGet(
            () -> CompletableFuture.completedFuture(new Page<>(List.of(), Optional.empty())));
  }

  /** Reads on while there is room; a section that is not at its end ends the page. */
  private CompletableFuture<Page<HeldClaim, Position>> list(
      Query query, Position from, List<HeldClaim> before) {
    return part(query, from, query.size() - before.size())
        .thenCompose(
            part -> {
              var claims = new ArrayList<>(before);
              claims.addAll(part.items());
              var next = part.next().or(() -> query.after(from.section()));
              return part.next().isEmpty() && next.isPresent() && claims.size() < query.size()
                  ? list(query, next.get(), claims)
                  : CompletableFuture.completedFuture(new Page<>(claims, next));
            });
  }

  private CompletableFuture<Page<HeldClaim, Position>> part(Query query, Position from, int size) {
    return switch (from.section()) {
      case ENTITIES -> claimed(query, from, size);
      case OPERATIONS -> inDoubt(query, from, size);
      case FAILED_RUNS -> runs(query, from, size, of(query, RunStatus.FAILED));
      case RUNS_IN_DOUBT -> runs(query, from, size, RunFilter.inDoubt(created(query)));
      case PAUSED_RUNS -> runs(query, from, size, of(query, RunStatus.PAUSED));
      case AWAITING_RUNS -> runs(query, from, size, of(query, RunStatus.WAITING));
    };
  }

  private CompletableFuture<Page<HeldClaim, Position>> claimed(
      Query query, Position from, int size) {
    var after =
        after(from, HeldClaim.Cursor.AfterEntity.class).map(HeldClaim.Cursor.AfterEntity::entity);
    return entities
        .list(
            new EntityReads.Query(
                query.workspace(),
                query.lifecycle(),
                Set.of(),
                true,
                query.sinceBefore(),
                size,
                after))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream()
                        .flatMap(entity -> HeldClaim.of(entity).stream())
                        .filter(claim -> query.kinds().contains(claim.kind()))
                        .toList(),
                    page.next().map(id -> at(from, new HeldClaim.Cursor.AfterEntity(id)))));
  }

  private CompletableFuture<Page<HeldClaim, Position>> inDoubt(
      Query query, Position from, int size) {
    var after =
        after(from, HeldClaim.Cursor.AfterOperation.class)
            .map(HeldClaim.Cursor.AfterOperation::position);
    return operations
        .list(
            new OperationReads.Query(
                query.workspace(), OperationFilter.inDoubt(created(query)), false, size, after))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream().map(HeldClaim::of).toList(),
                    page.next()
                        .map(place -> at(from, new HeldClaim.Cursor.AfterOperation(place)))));
  }

  private static TimeRange created(Query query) {
    return TimeRange.before(query.sinceBefore());
  }

  private static RunFilter of(Query query, RunStatus status) {
    return RunFilter.of(Set.of(status), created(query));
  }

  private CompletableFuture<Page<HeldClaim, Position>> runs(
      Query query, Position from, int size, RunFilter filter) {
    var after = after(from, HeldClaim.Cursor.AfterRun.class).map(HeldClaim.Cursor.AfterRun::run);
    return runs.list(new RunReads.Query(query.workspace(), filter, size, after))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream()
                        .flatMap(run -> HeldClaim.of(run).stream())
                        .filter(claim -> query.kinds().contains(claim.kind()))
                        .toList(),
                    page.next().map(run -> at(from, new HeldClaim.Cursor.AfterRun(run)))));
  }

  private static Position at(Position from, HeldClaim.Cursor cursor) {
    return new Position(from.section(), Optional.of(cursor));
  }

  private static <T extends HeldClaim.Cursor> Optional<T> after(Position from, Class<T> type) {
    return from.after().map(type::cast);
  }
}
