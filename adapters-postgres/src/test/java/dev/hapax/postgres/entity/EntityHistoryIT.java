package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.BeginRecoveryOutcome;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CompleteRecoveryOutcome;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.entity.EntityReads.Query;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.run.RunNodes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Entities of two modules that go through random commands. What is found is compared with what the
 * histories make of them.
 */
@Tag("long")
class EntityHistoryIT {
  private static final int WAVES = 60;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Comparator<EntityId> ORDER =
      Comparator.comparing(EntityId::lifecycle, EntitySamples.BYTES)
          .thenComparing(EntityId::id, EntitySamples.BYTES);

  private static final List<EntityId> IDS =
      Stream.of("billing", "shop")
          .flatMap(
              lifecycle ->
                  Stream.concat(
                          EntitySamples.NAMES.stream(),
                          EntitySamples.NAMES.stream().map(name -> name + " 2"))
                      .map(name -> new EntityId(EntitySamples.WORKSPACE, lifecycle, name)))
          .collect(Collectors.toCollection(ArrayList::new));

  private static final List<Set<String>> STATUSES =
      List.of(
          Set.of(),
          Set.of("draft"),
          Set.of("closing"),
          Set.of("closed"),
          Set.of("nothing"),
          Set.of("draft", "closing"),
          Set.of("closing", "closed", "nothing"));

  private static final List<UUID> POLLS = List.of(new UUID(1, 1), new UUID(2, 2));
  private static final List<ActionClaim> CLAIMS = new ArrayList<>();
  private static final List<RecoveryClaim> RECOVERIES = new ArrayList<>();
  private static final List<Run> EFFECTS = new ArrayList<>();
  private static final Random RANDOM = new Random(5);
  private static EntityNodes nodes;

  /** As their histories tell. */
  private static final Map<EntityId, List<EntityEvent>> EVENTS = new HashMap<>();

  private static final Map<EntityId, Entity> ENTITIES = new HashMap<>();

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(1);
    Invoices.install(nodes, "billing", JanitorMode.HOSTED);
    Invoices.install(nodes, "shop", JanitorMode.REMOTE);
    IDS.forEach(id -> nodes.run(Invoices.create(id, any("draft", "approved", "closed"))));
    for (var i = 0; i < WAVES; i++) {
      EntityNodes.awaitAll(IDS.stream().map(id -> nodes.submit(0, next(id))))
          .forEach(EntityHistoryIT::remember);
    }
    leave("held", HOUR);
    leave("stuck", Duration.ZERO);
    leave("recovering", Duration.ZERO)
        .forEach(id -> nodes.run(Invoices.recover(id, POLLS.getFirst(), HOUR)));
    for (var id : IDS) {
      EVENTS.put(id, EntityNodes.await(nodes.entities().events(id, 0, 500)).items());
      ENTITIES.put(id, nodes.run(RunNodes.read(id)));
    }
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  /** One more entity of each lifecycle, claimed for so long. */
  private static List<EntityId> leave(String name, Duration lease) {
    var left =
        Stream.of("billing", "shop")
            .map(lifecycle -> new EntityId(EntitySamples.WORKSPACE, lifecycle, name))
            .toList();
    for (var id : left) {
      nodes.run(Invoices.create(id, "approved"));
      nodes.run(Invoices.begin(id, "close", "admin", "the last", lease));
    }
    IDS.addAll(left);
    return left;
  }

  @SafeVarargs
  private static <T> T any(T... all) {
    return all[RANDOM.nextInt(all.length)];
  }

  private static Command<?> next(EntityId id) {
    var lease = any(Duration.ZERO, HOUR);
    return switch (RANDOM.nextInt(CLAIMS.isEmpty() || RECOVERIES.isEmpty() ? 6 : 10)) {
      case 0, 1, 2, 3 ->
          Invoices.begin(
              id,
              any("approve", "close", "regenerate", "cancel", "revive"),
              any("admin", "system"),
              "attempt " + RANDOM.nextInt(6),
              lease);
      case 4 -> Invoices.recover(id, any(POLLS.toArray(UUID[]::new)), lease);
      case 5 -> Invoices.release(id, RANDOM.nextInt(3) == 0 ? "request" : request());
      case 6, 7 -> Invoices.complete(recent(CLAIMS));
      case 8 -> Invoices.fail(recent(CLAIMS), any(ActionFailureKind.values()));
      default -> Invoices.say(recent(RECOVERIES), any(RecoveryVerdict.values()));
    };
  }

  private static void remember(Object outcome) {
    switch (outcome) {
      case BeginActionOutcome.Granted granted -> CLAIMS.add(granted.claim());
      case BeginRecoveryOutcome.Claimed claimed -> RECOVERIES.add(claimed.claim());
      case CompleteActionOutcome.Completed done -> done.effect().ifPresent(EFFECTS::add);
      case CompleteRecoveryOutcome.Recovered done -> done.effect().ifPresent(EFFECTS::add);
      default -> {}
    }
  }

  /** Mostly one of the last ones. */
  private static <T> T recent(List<T> all) {
    var among =
        RANDOM.nextInt(4) == 0 ? all : all.subList(Math.max(0, all.size() - 30), all.size());
    return among.get(RANDOM.nextInt(among.size()));
  }

  private static String request() {
    return "request " + RANDOM.nextInt(30);
  }

  @Test
  @DisplayName("given histories, when they are folded, then they make the stored entities")
  void fold() {
    var told =
        EVENTS.values().stream()
            .flatMap(Collection::stream)
            .map(event -> event.change().getClass())
            .distinct();
    assertThat(told).as("every kind of change").hasSize(8);
    EVENTS.forEach(
        (id, events) -> {
          var first = events.getFirst();
          var entity =
              Entity.created(id, (EntityChange.Created) first.change(), first.at(), first.actor());
          for (var event : events.subList(1, events.size())) {
            assertThat(event.version()).isEqualTo(entity.version() + 1);
            entity = entity.after(event);
            assertThat(entity.status()).isEqualTo(event.status());
          }
          assertThat(entity)
              .usingRecursiveComparison()
              // how far it was renewed is no part of the history
              .ignoringFields("hold.leaseUntil", "newEvents")
              .isEqualTo(ENTITIES.get(id));
          assertThat(EntityNodes.await(nodes.entities().find(id))).contains(ENTITIES.get(id));
        });
  }

  @Test
  @DisplayName("given after-effects, then each has exactly one run [C9]")
  void effects() {
    assertThat(EFFECTS).isNotEmpty();
    for (var effect : EFFECTS) {
      assertThat(EntityNodes.await(nodes.runs().find(effect.id())).map(Run::status))
          .contains(RunStatus.PENDING);
    }
    assertThat(nodes.database().query("SELECT count(*) FROM hapax.run"))
        .isEqualTo("" + EFFECTS.size());
  }

  @Test
  @DisplayName("given grants, then the end of each is found that its holder ended, and no other")
  void endedBy() {
    var found = 0;
    for (var claim : CLAIMS) {
      var ended = EntityNodes.await(nodes.entities().endedBy(claim));
      assertThat(ended).isEqualTo(ended(claim.entity(), claim.version(), claim.nonce()));
      found += ended.isPresent() ? 1 : 0;
    }
    assertThat(found).isBetween(1, CLAIMS.size() - 1);
    found = 0;
    for (var claim : RECOVERIES) {
      var ended = EntityNodes.await(nodes.entities().endedBy(claim));
      assertThat(ended).isEqualTo(ended(claim.entity(), claim.version(), claim.nonce()));
      found += ended.isPresent() ? 1 : 0;
    }
    assertThat(found).isBetween(1, RECOVERIES.size() - 1);
  }

  private static Optional<EntityEvent> ended(EntityId id, long version, long nonce) {
    return events(id)
        .filter(event -> event.version() == version + 1)
        .filter(event -> EndedGrant.byHolder(event).filter(end -> end.nonce() == nonce).isPresent())
        .findFirst();
  }

  private static Stream<EntityEvent> events(EntityId id) {
    return Optional.ofNullable(EVENTS.get(id)).orElseThrow().stream();
  }

  @Test
  @DisplayName("given releases, then each is found by its request, and no other is")
  void isReleased() {
    var found = 0;
    for (var id : IDS) {
      for (var i = 0; i < 31; i++) {
        var request = "request " + i;
        var released = events(id).anyMatch(event -> Invoices.isRelease(event.change(), request));
        assertThat(EntityNodes.await(nodes.entities().isReleased(id, request))).isEqualTo(released);
        found += released ? 1 : 0;
      }
    }
    assertThat(found).isPositive();
  }

  @Test
  @DisplayName("each filter, alone and with the others, lists what matches, on pages of every size")
  void list() {
    var middle = ENTITIES.values().stream().flatMap(EntityHistoryIT::since).sorted().toList();
    var times = List.of(Instant.EPOCH, middle.get(middle.size() / 2), Instant.now().plus(HOUR));
    for (var lifecycle : options(List.of("billing", "shop", "nothing"))) {
      for (var statuses : STATUSES) {
        for (var claimed : List.of(true, false)) {
          for (var before : options(times)) {
            for (var size : List.of(1, 3, 500)) {
              var query =
                  new Query(
                      EntitySamples.WORKSPACE,
                      lifecycle,
                      statuses,
                      claimed,
                      before,
                      size,
                      Optional.empty());
              assertThat(pages(query)).as("%s", query).isEqualTo(expected(query));
            }
          }
        }
      }
    }
  }

  private static Stream<Instant> since(Entity entity) {
    return entity.held().map(taken -> taken.action().since()).stream();
  }

  private static <T> List<Optional<T>> options(List<T> values) {
    return Stream.concat(Stream.of(Optional.<T>empty()), values.stream().map(Optional::of))
        .toList();
  }

  private static List<Entity> expected(Query query) {
    return found(
        entity ->
            query.lifecycle().filter(name -> !name.equals(entity.id().lifecycle())).isEmpty()
                && (query.statuses().isEmpty() || query.statuses().contains(entity.status()))
                && (!query.claimed() || entity.held().isPresent())
                && query
                    .claimedBefore()
                    .filter(time -> since(entity).noneMatch(since -> since.isBefore(time)))
                    .isEmpty());
  }

  private static List<Entity> found(Predicate<Entity> which) {
    return ENTITIES.values().stream()
        .filter(which)
        .sorted(Comparator.comparing(Entity::id, ORDER))
        .toList();
  }

  private static List<Entity> pages(Query first) {
    var all = new ArrayList<Entity>();
    var query = first;
    while (true) {
      var page = EntityNodes.await(nodes.entities().list(query));
      assertThat(page.items().size()).isLessThanOrEqualTo(query.size());
      all.addAll(page.items());
      if (page.next().isEmpty()) {
        return all;
      }
      query =
          new Query(
              query.workspace(),
              query.lifecycle(),
              query.statuses(),
              query.claimed(),
              query.claimedBefore(),
              query.size(),
              page.next());
    }
  }

  @Test
  @DisplayName(
      "given expired leases, then a janitor finds those of its module, longest first " + "[C10]")
  void stale() {
    for (var module : List.of("billing", "shop", "nothing")) {
      var janitor = new JanitorId(EntitySamples.WORKSPACE, module);
      var now = Instant.now();
      var stuck =
          found(
              entity ->
                  entity
                      .held()
                      .filter(taken -> taken.isStale(now) && taken.action().module().equals(module))
                      .isPresent());
      var stale = EntityNodes.await(nodes.entities().stale(Leases.all(janitor), 100));
      assertThat(stale)
          .containsExactlyInAnyOrderElementsOf(stuck.stream().map(Entity::id).toList())
          .isSortedAccordingTo(Comparator.comparing(EntityHistoryIT::leaseUntil));
      assertThat(EntityNodes.await(nodes.entities().stale(Leases.all(janitor), 1)))
          .isEqualTo(stale.stream().limit(1).toList());
      assertThat(stale.isEmpty()).isEqualTo(module.equals("nothing"));
      for (var id : stale) {
        // not quite as far back as to this one
        var back = Duration.between(leaseUntil(id), Instant.now()).minusMillis(1_500);
        assertThat(
                EntityNodes.await(
                    nodes.entities().stale(new Leases(janitor, Optional.of(back)), 100)))
            .isEqualTo(
                stale.stream()
                    .filter(other -> leaseUntil(other).isAfter(Instant.now().minus(back)))
                    .toList());
      }
    }
  }

  @Test
  @DisplayName(
      "given leases, then the first end of each module is found, and which entities are free")
  void first() {
    var janitors =
        Stream.of("billing", "shop", "nothing")
            .map(module -> Leases.all(new JanitorId(EntitySamples.WORKSPACE, module)))
            .toList();
    var first = EntityNodes.await(nodes.entities().firstStale(janitors));
    assertThat(first).hasSize(2);
    first.forEach(
        (janitor, left) -> {
          var taken =
              found(
                  entity ->
                      entity
                          .held()
                          .filter(held -> held.action().module().equals(janitor.module()))
                          .isPresent());
          var due = taken.stream().flatMap(entity -> entity.due().stream()).sorted().findFirst();
          assertThat(Duration.between(Instant.now(), due.orElseThrow()))
              .isCloseTo(left, Duration.ofSeconds(30));
        });
    assertThat(EntityNodes.await(nodes.entities().free(ENTITIES.keySet())))
        .containsExactlyInAnyOrderElementsOf(
            found(entity -> entity.held().isEmpty()).stream().map(Entity::id).toList());
  }

  private static Instant leaseUntil(EntityId id) {
    return Optional.ofNullable(ENTITIES.get(id)).flatMap(Entity::due).orElseThrow();
  }

  @Test
  @DisplayName("given a poll, then its grants are found while they are held")
  void polled() {
    var all = new ArrayList<EntityId>();
    for (var module : List.of("billing", "shop")) {
      var janitor = new JanitorId(EntitySamples.WORKSPACE, module);
      for (var poll : POLLS) {
        var held =
            found(
                entity ->
                    entity.id().lifecycle().equals(module)
                        && entity
                            .recovering()
                            .flatMap(recovering -> recovering.recovery().poll())
                            .filter(poll::equals)
                            .isPresent());
        var polled = EntityNodes.await(nodes.entities().polled(janitor, poll));
        assertThat(polled)
            .containsExactlyInAnyOrderElementsOf(held.stream().map(Entity::id).toList());
        all.addAll(polled);
      }
    }
    assertThat(all).isNotEmpty();
  }

  @Test
  @DisplayName("given statuses, then entities are found that are in one or can lead to one")
  void stranded() {
    var most = 0;
    for (var lifecycle : List.of("billing", "shop", "nothing")) {
      var id = new LifecycleId(EntitySamples.WORKSPACE, lifecycle);
      for (var statuses :
          List.of(
              Set.of("draft"),
              Set.of("closing"),
              Set.of("approved", "closed"),
              Set.of("nothing"),
              Set.<String>of())) {
        var there =
            found(
                entity ->
                    entity.id().lifecycle().equals(lifecycle) && isStranded(entity, statuses));
        var found = EntityNodes.await(nodes.entities().stranded(id, statuses, 100));
        assertThat(found).isEqualTo(there);
        assertThat(EntityNodes.await(nodes.entities().stranded(id, statuses, 2)))
            .hasSize(Math.min(2, there.size()))
            .allMatch(there::contains);
        most = Math.max(most, found.size());
      }
    }
    assertThat(most).isGreaterThan(2);
  }

  private static boolean isStranded(Entity entity, Set<String> statuses) {
    return statuses.contains(entity.status())
        || entity
            .held()
            .map(ClaimState.Held::action)
            .filter(
                action ->
                    statuses.contains(action.transition().to())
                        || statuses.contains(action.claim().revertTo()))
            .isPresent();
  }
}
