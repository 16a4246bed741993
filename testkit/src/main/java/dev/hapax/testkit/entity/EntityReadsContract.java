package dev.hapax.testkit.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Page;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryGrant;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.testkit.lifecycle.LifecycleReadsContract;
import dev.hapax.testkit.read.ReadsContract;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link EntityReads} finds. */
public abstract class EntityReadsContract extends ReadsContract {
  private static final String MODULE = "billing";
  private static final Actor ANN = new Actor("ann", 7, new PrincipalName("api-key:billing"));
  private static final Fence FENCE = new Fence(1);
  private static final UUID POLL = new UUID(3, 4);
  private static final ClaimState FREE = new ClaimState.Free();

  private final JanitorId janitor = new JanitorId(workspace, MODULE);

  /** Of what {@link #ledger} keeps. */
  protected abstract EntityReads entities();

  private EntityId id(String id) {
    return new EntityId(workspace, "invoices", id);
  }

  private Entity entity(EntityId id, String status, ClaimState hold, EntityEvent... news) {
    return new Entity(
        id, status, 1, FENCE, hold, Optional.empty(), Optional.empty(), now, List.of(news));
  }

  /** Returns it as it is found. */
  private Entity written(Entity entity) {
    write(entity.id(), entity);
    return entity.with(List.<EntityEvent>of());
  }

  private Entity written(String id, String status, ClaimState hold) {
    return written(entity(id(id), status, hold));
  }

  private ActionGrant grant(String module, Instant since) {
    var move =
        new Transition(
            "close",
            "admin",
            "approved",
            Optional.of(new ClaimStates("closing", "approved")),
            "closed",
            Optional.empty(),
            Optional.empty());
    return new ActionGrant(
        7,
        FENCE,
        AttemptId.of("attempt"),
        "ann",
        since,
        move,
        module,
        new PrincipalName("api-key:billing"));
  }

  /** Claimed for this long before its lease ended, or will end. */
  private ClaimState claimed(String module, Duration left) {
    return new ClaimState.Claimed(grant(module, now.plus(left).minusSeconds(60)), now.plus(left));
  }

  private ClaimState recovering(Optional<UUID> poll) {
    return new ClaimState.Recovering(
        grant(MODULE, now),
        new RecoveryGrant(9, FENCE, "worker", poll, new PrincipalName("api-key:fixer")),
        now.plusSeconds(600));
  }

  private EntityEvent event(long version, Actor by, String status, EntityChange change) {
    return new EntityEvent(version, now.plusSeconds(version), by, status, change);
  }

  @Test
  @DisplayName("given an entity, when it is read by its id, then it is found in its workspace only")
  void find() {
    var entity = written("1", "approved", FREE);
    var claimed = written("2", "closing", claimed(MODULE, Duration.ofMinutes(1)));
    var recovering = written("3", "closing", recovering(Optional.of(POLL)));
    for (var each : List.of(entity, claimed, recovering)) {
      assertThat(await(entities().find(each.id()))).contains(each);
    }
    assertThat(await(entities().find(new EntityId(elsewhere, "invoices", "1")))).isEmpty();
    assertThat(await(entities().find(new EntityId(workspace, "orders", "1")))).isEmpty();
    assertThat(await(entities().find(id("4")))).isEmpty();
  }

  private void apply(Workspace to, String name) {
    var lifecycle = LifecycleReadsContract.lifecycle(name);
    var id = new LifecycleId(to, name);
    write(new LifecycleVersionId(id, 1), lifecycle);
    write(id, new AppliedLifecycle(lifecycle, 1, now, Attribution.SERVER, Optional.empty()));
  }

  /** In the order of a list: of two lifecycles, in each status, free and not. */
  private List<Entity> samples() {
    var samples = new ArrayList<Entity>();
    for (var lifecycle : List.of("invoices", "orders")) {
      apply(workspace, lifecycle);
      for (var i = 0; i < 9; i++) {
        var hold =
            switch (i % 3) {
              case 0 -> FREE;
              case 1 -> claimed(MODULE, Duration.ofMinutes(i));
              default -> recovering(Optional.empty());
            };
        var status = i % 3 != 0 ? "closing" : i < 4 ? "approved" : "closed";
        var id = new EntityId(workspace, lifecycle, "id " + i);
        samples.add(written(entity(id, status, hold)));
      }
    }
    apply(elsewhere, "invoices");
    written(entity(new EntityId(elsewhere, "invoices", "id 0"), "approved", FREE));
    return samples;
  }

  private void assertLists(
      List<Entity> samples,
      Optional<String> lifecycle,
      Set<String> statuses,
      boolean claimed,
      Optional<Instant> claimedBefore,
      Predicate<Entity> matches) {
    var expected =
        samples.stream()
            .filter(e -> lifecycle.isEmpty() || lifecycle.get().equals(e.id().lifecycle()))
            .filter(e -> statuses.isEmpty() || statuses.contains(e.status()))
            .filter(matches)
            .toList();
    for (var size : List.of(1, 4, 50)) {
      assertThat(
              pages(
                  size,
                  (Optional<EntityId> after) ->
                      list(lifecycle, statuses, claimed, claimedBefore, size, after)))
          .as("%s %s %s %s by %d", lifecycle, statuses, claimed, claimedBefore, size)
          .isEqualTo(expected);
    }
  }

  private CompletableFuture<Page<Entity, EntityId>> list(
      Optional<String> lifecycle,
      Set<String> statuses,
      boolean claimed,
      Optional<Instant> claimedBefore,
      int size,
      Optional<EntityId> after) {
    return entities()
        .list(
            new EntityReads.Query(
                workspace, lifecycle, statuses, claimed, claimedBefore, size, after));
  }

  @Test
  @DisplayName("given entities, when they are listed by each filter, then those that match come")
  void list() {
    var samples = samples();
    var before = now.plusSeconds(90);
    for (var lifecycle :
        List.of(Optional.<String>empty(), Optional.of("orders"), Optional.of("none"))) {
      for (var statuses :
          List.of(Set.<String>of(), Set.of("approved"), Set.of("closed", "closing"), Set.of("x"))) {
        assertLists(samples, lifecycle, statuses, false, Optional.empty(), _ -> true);
        assertLists(
            samples,
            lifecycle,
            statuses,
            true,
            Optional.empty(),
            entity -> entity.held().isPresent());
        assertLists(
            samples,
            lifecycle,
            statuses,
            true,
            Optional.of(before),
            entity -> entity.held().filter(t -> t.action().since().isBefore(before)).isPresent());
      }
    }
  }

  @Test
  @DisplayName("given a history, when it is read in pages, then each event comes once and in order")
  void events() {
    var history =
        List.of(
            event(1, ANN, "approved", new EntityChange.Created("approved", "why")),
            event(
                2, ANN, "closing", new EntityChange.ActionBegan(grant(MODULE, now.plusSeconds(2)))),
            event(3, Actor.SERVER, "approved", new EntityChange.ClaimReverted(FENCE, "")));
    var id = id("1");
    written(entity(id, "approved", FREE, history.toArray(EntityEvent[]::new)));
    for (var size : List.of(1, 2, 3, 50)) {
      assertThat(
              pages(size, (Optional<Long> after) -> entities().events(id, after.orElse(0L), size)))
          .isEqualTo(history);
    }
    assertThat(await(entities().events(id, 2, 50)).items()).hasSize(1);
    assertThat(await(entities().events(id, 3, 50)).items()).isEmpty();
    assertThat(await(entities().events(id("2"), 0, 50)).items()).isEmpty();
  }

  @Test
  @DisplayName(
      "given an id that was used before, when its history is read, then the deletion stays")
  void eventsOfNamesake() {
    var id = id("1");
    var first = event(1, ANN, "approved", new EntityChange.Created("approved", ""));
    var deleted = event(2, ANN, "approved", new EntityChange.Deleted("request", "why", FENCE));
    var again = event(3, ANN, "approved", new EntityChange.Created("approved", ""));
    write(
        new EntityDeletionId(id),
        new EntityDeletion(id, 2, FENCE, deleted.at(), "request", List.of(first, deleted)));
    assertThat(await(entities().events(id, 0, 50)).items()).containsExactly(deleted);
    written(entity(id, "approved", FREE, again));
    assertThat(await(entities().events(id, 0, 50)).items()).containsExactly(deleted, again);
    assertThat(await(entities().isDeleted(id, "request"))).isTrue();
    assertThat(await(entities().isDeleted(id, "other"))).isFalse();
    assertThat(await(entities().isDeleted(id("2"), "request"))).isFalse();
  }

  private ActionClaim action(EntityId id, long version, long nonce) {
    return new ActionClaim(id, "close", "admin", MODULE, version, nonce, FENCE, true, false, 0);
  }

  @Test
  @DisplayName("given a claim that ended, when its end is read, then it is the next event by it")
  void endedBy() {
    var id = id("1");
    var completed =
        event(
            2,
            ANN,
            "closed",
            new EntityChange.ActionCompleted("close", "admin", "closed", FENCE, Optional.empty()));
    var recovered =
        event(4, ANN, "approved", new EntityChange.Recovered(RecoveryVerdict.REVERT, "not booked"));
    var released =
        event(
            5,
            ANN,
            "approved",
            new EntityChange.ClaimReleased("request", "why", FENCE, RecoveryVerdict.REVERT));
    written(entity(id, "approved", FREE, completed, recovered, released));

    assertThat(await(entities().endedBy(action(id, 1, 7)))).contains(completed);
    assertThat(await(entities().endedBy(action(id, 1, 8)))).isEmpty();
    assertThat(await(entities().endedBy(action(id, 2, 7)))).isEmpty();
    assertThat(await(entities().endedBy(action(id, 4, 7)))).as("an operator's").isEmpty();
    assertThat(await(entities().endedBy(action(id("2"), 1, 7)))).isEmpty();
    assertThat(await(entities().endedBy(new RecoveryClaim(id, 3, 7, FENCE, false))))
        .contains(recovered);
    assertThat(await(entities().endedBy(new RecoveryClaim(id, 3, 8, FENCE, false)))).isEmpty();

    assertThat(await(entities().isReleased(id, "request"))).isTrue();
    assertThat(await(entities().isReleased(id, "other"))).isFalse();
    assertThat(await(entities().isReleased(id("2"), "request"))).isFalse();
  }

  @Test
  @DisplayName(
      "given statuses that go, when stranded entities are read, then all that touch them come")
  void stranded() {
    var free = written("1", "closed", FREE);
    var leadsThere = written("2", "closing", claimed(MODULE, Duration.ofMinutes(1)));
    written("3", "approved", FREE);
    written(entity(new EntityId(workspace, "orders", "1"), "closed", FREE));
    written(entity(new EntityId(elsewhere, "invoices", "1"), "closed", FREE));
    var lifecycle = new LifecycleId(workspace, "invoices");
    assertThat(await(entities().stranded(lifecycle, Set.of("closed"), 10)))
        .containsExactly(free, leadsThere);
    assertThat(await(entities().stranded(lifecycle, Set.of("closed"), 1))).containsExactly(free);
    assertThat(await(entities().stranded(lifecycle, Set.of("closing"), 10)))
        .containsExactly(leadsThere);
    assertThat(await(entities().stranded(lifecycle, Set.of("draft"), 10))).isEmpty();
  }

  @Test
  @DisplayName("given leases, when stale ones are read, then those over the longest come first")
  void stale() {
    var minute = written("1", "closing", claimed(MODULE, Duration.ofMinutes(-1))).id();
    var hour = written("2", "closing", claimed(MODULE, Duration.ofHours(-1))).id();
    written("3", "closing", claimed(MODULE, Duration.ofHours(1)));
    written("4", "closing", claimed("other", Duration.ofHours(1)));
    written("5", "approved", FREE);
    var there = new EntityId(elsewhere, "invoices", "1");
    written(entity(there, "closing", claimed(MODULE, Duration.ofHours(-2))));
    var recent = new Leases(janitor, Optional.of(Duration.ofMinutes(30)));
    var other = new JanitorId(workspace, "other");
    var none = new JanitorId(workspace, "none");

    assertThat(await(entities().stale(Leases.all(janitor), 10))).containsExactly(hour, minute);
    assertThat(await(entities().stale(Leases.all(janitor), 1))).containsExactly(hour);
    assertThat(await(entities().stale(recent, 10))).containsExactly(minute);
    assertThat(await(entities().stale(Leases.all(other), 10))).isEmpty();
    assertThat(await(entities().stale(Leases.all(none), 10))).isEmpty();

    var first =
        await(
            entities()
                .firstStale(List.of(Leases.all(janitor), Leases.all(other), Leases.all(none))));
    assertThat(first).containsOnlyKeys(janitor, other);
    assertThat(first.get(janitor)).isLessThan(Duration.ofMinutes(-59));
    assertThat(first.get(other)).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
    assertThat(await(entities().firstStale(List.of(recent))).get(janitor))
        .isBetween(Duration.ofMinutes(-30), Duration.ZERO);
    assertThat(await(entities().firstStale(List.of()))).isEqualTo(Map.of());
  }

  @Test
  @DisplayName(
      "given claims and polls, when they are read, then they show what is free and what held")
  void freeAndPolled() {
    var free = written("1", "approved", FREE).id();
    var claimed = written("2", "closing", claimed(MODULE, Duration.ofMinutes(-1))).id();
    var polled = written("3", "closing", recovering(Optional.of(POLL))).id();
    written("4", "closing", recovering(Optional.of(new UUID(4, 4))));
    var absent = id("5");
    assertThat(await(entities().free(Set.of(free, claimed, polled, absent))))
        .containsExactlyInAnyOrder(free, absent);
    assertThat(await(entities().polled(janitor, POLL))).containsExactly(polled);
    assertThat(await(entities().polled(janitor, new UUID(9, 9)))).isEmpty();
    assertThat(await(entities().polled(new JanitorId(workspace, "other"), POLL))).isEmpty();
    assertThat(await(entities().polled(new JanitorId(elsewhere, MODULE), POLL))).isEmpty();
  }
}
