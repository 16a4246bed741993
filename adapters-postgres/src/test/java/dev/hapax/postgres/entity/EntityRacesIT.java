package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RevertExpiredClaim;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.postgres.run.RunNodes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two nodes on one database. The answers of the callers are compared with the histories. */
class EntityRacesIT {
  private static final JanitorId JANITOR = new JanitorId(Invoices.WORKSPACE, "billing");
  private static final int RACES = 40;
  private static final Duration HOUR = Duration.ofHours(1);
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(2);
    Invoices.install(nodes, "billing", JanitorMode.HOSTED);
  }

  @AfterAll
  static void stop() {
    try (var all = nodes) {
      assertThat(all.deadlocks()).as("all nodes lock in one order").isZero();
    }
  }

  private static EntityId approved(String name) {
    var id = new EntityId(Invoices.WORKSPACE, "billing", name);
    nodes.run(Invoices.create(id, "approved"));
    return id;
  }

  private static List<EntityEvent> history(EntityId id) {
    return EntityNodes.await(nodes.entities().events(id, 0, 500)).items();
  }

  private static ActionClaim claimed(EntityId id, String requester, Duration lease) {
    var begin = Invoices.begin(id, "close", requester, "first", lease);
    return ((BeginActionOutcome.Granted) nodes.run(begin)).claim();
  }

  @Test
  @DisplayName("of 50 begins on two nodes one is granted, and 49 get the name of its holder [C1]")
  void oneGrant() {
    for (var race = 0; race < RACES; race++) {
      var id = approved("one-grant-" + race);
      var outcomes =
          EntityNodes.<BeginActionOutcome>awaitAll(
              IntStream.range(0, 50)
                  .mapToObj(i -> Invoices.begin(id, "close", "admin", "attempt " + i, HOUR))
                  .map(begin -> nodes.submit((int) (begin.nonce() % 2), begin)));
      var granted =
          outcomes.stream()
              .filter(BeginActionOutcome.Granted.class::isInstance)
              .map(outcome -> ((BeginActionOutcome.Granted) outcome).claim())
              .toList();
      assertThat(granted).hasSize(1);
      assertThat(outcomes)
          .filteredOn(
              outcome ->
                  outcome instanceof BeginActionOutcome.ClaimFailed failed
                      && failed.holder().nonce() == granted.getFirst().nonce())
          .hasSize(49);
      assertThat(history(id)).hasSize(2);
    }
  }

  @Test
  @DisplayName("the same completion on both nodes is one, with one after-effect [C1, C9]")
  void oneCompletion() {
    for (var race = 0; race < RACES; race++) {
      var id = approved("one-completion-" + race);
      var claim = claimed(id, "admin", HOUR);
      var outcomes =
          EntityNodes.<CompleteActionOutcome>awaitAll(
              IntStream.range(0, 2).mapToObj(i -> nodes.submit(i, Invoices.complete(claim))));
      assertThat(outcomes)
          .allMatch(CompleteActionOutcome.Completed.class::isInstance)
          .extracting(outcome -> ((CompleteActionOutcome.Completed) outcome).already())
          .containsExactlyInAnyOrder(true, false);
      assertThat(outcomes)
          .filteredOn(o -> ((CompleteActionOutcome.Completed) o).effect().isPresent())
          .hasSize(1);
      assertThat(history(id)).hasSize(3);
    }
  }

  @Test
  @DisplayName(
      "given two completions without a claim, then the second one gets the version " + "[C8]")
  void oneVersion() {
    for (var race = 0; race < RACES; race++) {
      var id = approved("one-version-" + race);
      var claims = new ArrayList<ActionClaim>();
      for (var attempt : List.of("a", "b")) {
        var begin = Invoices.begin(id, "close", "system", attempt, HOUR);
        claims.add(((BeginActionOutcome.Granted) nodes.run(begin)).claim());
      }
      var outcomes =
          EntityNodes.<CompleteActionOutcome>awaitAll(
              IntStream.range(0, 2)
                  .mapToObj(i -> nodes.submit(i, Invoices.complete(claims.get(i)))));
      assertThat(outcomes).hasAtLeastOneElementOfType(CompleteActionOutcome.Completed.class);
      assertThat(outcomes).contains(new ActionClaimLost(ActionClaimLost.Reason.VERSION));
      assertThat(history(id)).hasSize(2);
    }
  }

  @Test
  @DisplayName("a late finisher and who takes the entity never both get it [C7]")
  void late() {
    var taken = 0;
    for (var race = 0; race < RACES; race++) {
      var id = approved("late-" + race);
      var claim = claimed(id, "admin", Duration.ZERO);
      var completion = nodes.submit(race % 2, Invoices.complete(claim));
      var rival =
          nodes.submit(
              1 - race % 2, Invoices.begin(id, "close", "admin", "second", Duration.ofHours(1)));
      var sweep =
          nodes.submit(1 - race % 2, new RevertExpiredClaim(id, JANITOR, JANITOR.attribution()));
      var completed = EntityNodes.await(completion) instanceof CompleteActionOutcome.Completed;
      var granted = EntityNodes.await(rival) instanceof BeginActionOutcome.Granted;
      EntityNodes.await(sweep);
      assertThat(completed && granted).isFalse();
      assertThat(history(id))
          .filteredOn(event -> event.change() instanceof EntityChange.ActionCompleted)
          .hasSize(completed ? 1 : 0);
      taken += granted ? 1 : 0;
    }
    assertThat(taken).as("both orders were seen, or nothing was raced").isBetween(1, RACES - 1);
  }

  @Test
  @DisplayName("a lifecycle that comes and a contract that goes never pass one another [C5]")
  void coverage() {
    for (var race = 0; race < RACES; race++) {
      var module = "module-" + race;
      var full = Invoices.contract(module, JanitorMode.HOSTED, "closing", "regenerating");
      var less = Invoices.contract(module, JanitorMode.HOSTED, "regenerating");
      nodes.run(Invoices.declare(full));
      var applied =
          nodes.submit(race % 2, Invoices.apply(Invoices.lifecycle(module), Optional.empty()));
      var declared = nodes.submit(1 - race % 2, Invoices.declare(less));
      var comes = EntityNodes.await(applied) instanceof ApplyLifecyclesOutcome.Applied;
      var goes = EntityNodes.await(declared) instanceof ApplyLifecyclesOutcome.Applied;
      assertThat(comes).isNotEqualTo(goes);
      var janitor = nodes.run(RunNodes.read(new JanitorId(Invoices.WORKSPACE, module)));
      assertThat(janitor.uncovered()).isEmpty();
    }
  }

  @Test
  @DisplayName("nodes that apply the same lifecycle at once make one version of it")
  void oneLifecycle() {
    for (var race = 0; race < RACES; race++) {
      var name = "once-" + race;
      var contract = Invoices.contract(name, JanitorMode.HOSTED, "closing", "regenerating");
      nodes.run(Invoices.declare(contract));
      var outcomes =
          EntityNodes.<ApplyLifecyclesOutcome>awaitAll(
              IntStream.range(0, 6)
                  .mapToObj(
                      i ->
                          nodes.submit(
                              i % 2, Invoices.apply(Invoices.lifecycle(name), Optional.empty()))));
      assertThat(outcomes).allMatch(ApplyLifecyclesOutcome.Applied.class::isInstance);
      assertThat(outcomes).filteredOn(outcome -> !stored(outcome).already()).hasSize(1);
    }
  }

  private static Stored<AppliedLifecycle> stored(ApplyLifecyclesOutcome outcome) {
    return ((ApplyLifecyclesOutcome.Applied) outcome).lifecycles().getFirst();
  }

  @Test
  @DisplayName("sets of two nodes that overlap in any order are applied one after the other")
  void overlappingSets() {
    for (var race = 0; race < RACES; race++) {
      var names = List.of("a-" + race, "b-" + race, "c-" + race);
      var outcomes =
          EntityNodes.<ApplyLifecyclesOutcome>awaitAll(
              IntStream.range(0, 4).mapToObj(i -> nodes.submit(i % 2, set(names, i))));
      assertThat(outcomes).allMatch(ApplyLifecyclesOutcome.Applied.class::isInstance);
    }
  }

  /** Another order and other actions for each number. */
  private static ApplyLifecycles set(List<String> names, int number) {
    var ordered = number % 2 == 0 ? names : names.reversed();
    return Invoices.apply(
        new LifecycleSet(
            Invoices.WORKSPACE,
            ordered.stream().map(name -> Invoices.lifecycle(name, "Action" + number)).toList(),
            ordered.stream()
                .map(name -> Invoices.contract(name, JanitorMode.HOSTED, "closing", "regenerating"))
                .toList()),
        Map.of());
  }

  private static ApplyLifecycles change(String name, int number) {
    var id = new LifecycleId(Invoices.WORKSPACE, name);
    var other = Invoices.lifecycle(name, "Action" + number);
    return Invoices.apply(other, EntityNodes.await(nodes.lifecycles().find(id)));
  }

  @Test
  @DisplayName(
      "given two changes of a lifecycle on two nodes, then they are two versions, one after the other")
  void oneChange() {
    Invoices.install(nodes, "changed", JanitorMode.HOSTED);
    for (var race = 0; race < RACES; race += 2) {
      var one = change("changed", race);
      var two = change("changed", race + 1);
      var first = nodes.submit(0, one);
      var second = nodes.submit(1, two);
      var outcomes = EntityNodes.<ApplyLifecyclesOutcome>awaitAll(List.of(first, second).stream());
      assertThat(outcomes)
          .extracting(outcome -> stored(outcome).record().version())
          .doesNotHaveDuplicates();
    }
  }

  @Test
  @DisplayName(
      "given a retiring status, when it was read as empty, then no entity comes to be in it")
  void retire() {
    Invoices.install(nodes, "retiring", JanitorMode.HOSTED);
    var lifecycle = new LifecycleId(Invoices.WORKSPACE, "retiring");
    var ids =
        IntStream.range(0, 600)
            .mapToObj(i -> new EntityId(Invoices.WORKSPACE, "retiring", "" + i))
            .toList();
    EntityNodes.awaitAll(ids.stream().map(id -> nodes.submit(0, Invoices.create(id, "approved"))));

    var begun = new ArrayList<CompletableFuture<BeginActionOutcome>>();
    ids.subList(0, 300).forEach(id -> begun.add(begin(id)));
    var statuses = Set.of("closing");
    var retired = nodes.submit(0, Invoices.retire(lifecycle, 77, statuses));
    ids.subList(300, 600).forEach(id -> begun.add(begin(id)));
    assertThat(EntityNodes.await(retired)).isEmpty();
    var stranded = EntityNodes.await(nodes.entities().stranded(lifecycle, statuses, 1_000));

    var granted =
        EntityNodes.<BeginActionOutcome>awaitAll(begun.stream()).stream()
            .filter(BeginActionOutcome.Granted.class::isInstance)
            .map(outcome -> ((BeginActionOutcome.Granted) outcome).entity().id())
            .toList();
    assertThat(stranded).extracting(Entity::id).containsExactlyInAnyOrderElementsOf(granted);
    assertThat(granted).as("some came before, some too late").hasSizeBetween(1, 599);
  }

  private static CompletableFuture<BeginActionOutcome> begin(EntityId id) {
    var begin = Invoices.begin(id, "close", "admin", "first", HOUR);
    return nodes.submit((int) (begin.nonce() % 2), begin);
  }

  @Test
  @DisplayName(
      "given an action that began by the old lifecycle, then the change sees it or precedes it")
  void retireBehindBegin() throws SQLException {
    Invoices.install(nodes, "behind", JanitorMode.HOSTED);
    var lifecycle = new LifecycleId(Invoices.WORKSPACE, "behind");
    var id = new EntityId(Invoices.WORKSPACE, "behind", "invoice");
    nodes.run(Invoices.create(id, "approved"));
    try (var other = nodes.database().connect();
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT FROM hapax.entity WHERE lifecycle = 'behind' FOR UPDATE");
      // it has read the lifecycle, and waits for the entity
      var begun = nodes.submit(0, Invoices.begin(id, "close", "admin", "first", HOUR));
      nodes.awaitLockWait();
      var retire = Invoices.retire(lifecycle, 1, Set.of("closing"));
      assertThat(EntityNodes.await(nodes.submit(1, retire))).isEmpty();
      var stranded = EntityNodes.await(nodes.entities().stranded(lifecycle, Set.of("closing"), 10));
      other.rollback();
      assertThat(EntityNodes.await(begun) instanceof BeginActionOutcome.Granted)
          .isEqualTo(!stranded.isEmpty());
    }
  }
}
