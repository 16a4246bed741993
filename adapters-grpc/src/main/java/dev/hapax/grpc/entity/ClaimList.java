package dev.hapax.grpc.entity;

import dev.hapax.application.entity.Entities;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.Page;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.StuckKind;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.entity.ClaimListQuery.Place;
import dev.hapax.grpc.entity.ClaimListQuery.Section;
import dev.hapax.grpc.operation.OperationEncoding;
import dev.hapax.grpc.operation.OperationPages;
import dev.hapax.grpc.run.RunPages;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** ListClaims: one list after another, each as its own service reads it. */
record ClaimList(Entities entities, Operations operations, Runs runs) {
  /** One of them, and where the list goes on behind it. */
  private record Item(HeldClaim claim, Place behind) {}

  CompletableFuture<ListClaimsResponse> list(ListClaimsRequest request) {
    var query = ClaimListQuery.read(request);
    return query
        .from(request.getPageToken())
        .map(from -> list(query, from, List.of()))
        .orElseGet(() -> CompletableFuture.completedFuture(page(List.of(), Optional.empty())));
  }

  /** Reads on while there is room; a list that is not at its end ends the page. */
  private CompletableFuture<ListClaimsResponse> list(
      ClaimListQuery query, Place from, List<Item> before) {
    return part(query, from, query.size() - before.size())
        .thenCompose(
            part -> {
              var items = new ArrayList<>(before);
              items.addAll(part.items());
              var next = part.next().or(() -> query.behind(from.section()));
              return part.next().isEmpty() && next.isPresent() && items.size() < query.size()
                  ? list(query, next.get(), items)
                  : CompletableFuture.completedFuture(page(items, next));
            });
  }

  private static ListClaimsResponse page(List<Item> items, Optional<Place> next) {
    var response = ListClaimsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            items,
            Item::claim,
            (item, claim) -> response.addClaims(claim).setNextPageToken(item.behind().text()));
    return isAll
        ? response.setNextPageToken(next.map(Place::text).orElse("")).build()
        : response.build();
  }

  private CompletableFuture<Page<Item, Place>> part(ClaimListQuery query, Place from, int size) {
    return switch (from.section()) {
      case ENTITIES -> claimed(query, from, size);
      case OPERATIONS -> inDoubt(query, from, size);
      case FAILED_RUNS -> runs(query, from, size, RunStatus.FAILED);
      case PAUSED_RUNS -> runs(query, from, size, RunStatus.PAUSED);
      case AWAITING_RUNS -> runs(query, from, size, RunStatus.WAITING);
    };
  }

  private CompletableFuture<Page<Item, Place>> claimed(ClaimListQuery query, Place from, int size) {
    return entities
        .list(
            new EntityReads.Query(
                query.workspace(),
                query.lifecycle(),
                Set.of(),
                true,
                query.sinceBefore(),
                size,
                EntityDecoding.position(query.workspace(), from.token())))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream()
                        .flatMap(entity -> held(entity).stream())
                        .filter(item -> query.kinds().contains(item.claim().getKind()))
                        .toList(),
                    page.next().map(id -> new Place(Section.ENTITIES, EntityDecoding.token(id)))));
  }

  private static Optional<Item> held(Entity entity) {
    var behind = new Place(Section.ENTITIES, EntityDecoding.token(entity.id()));
    return entity
        .held()
        .map(
            taken ->
                item(
                    held(taken)
                        .setLeaseUntil(Durations.encode(taken.leaseUntil()))
                        .setEntity(EntityEncoding.entity(entity)),
                    behind));
  }

  private static HeldClaim.Builder held(ClaimState.Held taken) {
    var since = taken.action().since();
    return switch (taken) {
      case ClaimState.Claimed _ ->
          held(ClaimKind.CLAIM_KIND_ENTITY_CLAIMED, StuckKind.ENTITY_CLAIMED, since);
      case ClaimState.Recovering _ ->
          held(ClaimKind.CLAIM_KIND_ENTITY_RECOVERING, StuckKind.ENTITY_RECOVERING, since);
    };
  }

  private static HeldClaim.Builder held(ClaimKind kind, StuckKind what, Instant since) {
    return HeldClaim.newBuilder()
        .setKind(kind)
        .setSince(Durations.encode(since))
        .setFreedBy(what.how());
  }

  private static Item item(HeldClaim.Builder claim, Place behind) {
    return new Item(claim.build(), behind);
  }

  private CompletableFuture<Page<Item, Place>> inDoubt(ClaimListQuery query, Place from, int size) {
    return operations
        .list(
            new OperationReads.Query(
                query.workspace(),
                OperationFilter.inDoubt(TimeRange.before(query.sinceBefore())),
                false,
                size,
                OperationPages.position(from.token())))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream()
                        .map(
                            listed ->
                                item(
                                    held(
                                            ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE,
                                            StuckKind.OPERATION_INDETERMINATE,
                                            listed.operation().grant().at())
                                        .setOperation(
                                            OperationEncoding.summary(listed.operation())),
                                    behind(listed.position())))
                        .toList(),
                    page.next().map(ClaimList::behind)));
  }

  private static Place behind(OperationReads.Position position) {
    return new Place(Section.OPERATIONS, OperationPages.token(position));
  }

  private CompletableFuture<Page<Item, Place>> runs(
      ClaimListQuery query, Place from, int size, RunStatus status) {
    return runs.list(
            new RunReads.Query(
                query.workspace(),
                RunFilter.of(Set.of(status), TimeRange.before(query.sinceBefore())),
                size,
                RunPages.position(from.token())))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream()
                        .flatMap(
                            run ->
                                held(run)
                                    .map(claim -> claim.setRunId(run.id().text()))
                                    .map(claim -> item(claim, behind(from, run.id().uuid())))
                                    .stream())
                        .toList(),
                    page.next().map(next -> behind(from, next))));
  }

  private static Place behind(Place from, UUID run) {
    return new Place(from.section(), RunPages.token(run));
  }

  /** Empty if it goes on by itself. */
  private static Optional<HeldClaim.Builder> held(Run run) {
    var since = run.origin().createdAt();
    return switch (run.phase()) {
      case Phase.Failed _ ->
          Optional.of(held(ClaimKind.CLAIM_KIND_RUN_FAILED, StuckKind.RUN_FAILED, since));
      case Phase.Paused _ ->
          Optional.of(held(ClaimKind.CLAIM_KIND_RUN_PAUSED, StuckKind.RUN_PAUSED, since));
      case Phase.Waiting(var until, _, _) when until.isEmpty() ->
          Optional.of(held(ClaimKind.CLAIM_KIND_RUN_AWAITING, StuckKind.RUN_AWAITING, since));
      case Phase.Waiting _,
          Phase.Ready _,
          Phase.Held _,
          Phase.Finishing _,
          Phase.Completed _,
          Phase.Cancelled _ ->
          Optional.empty();
    };
  }
}
