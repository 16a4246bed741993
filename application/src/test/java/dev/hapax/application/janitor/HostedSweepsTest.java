package dev.hapax.application.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Billing;
import dev.hapax.application.entity.Office;
import dev.hapax.application.entity.Office.Node;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.entity.RenewActionOutcome;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HostedSweepsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final int CROWD = 2 * Sweep.AT_MOST + 300;
  private final Office office = new Office();

  private SweepRound round() {
    return Objects.requireNonNull(
        (SweepRound) office.records.records().get(new SweepRoundId(Billing.JANITOR)));
  }

  private SweepRound complete(int freed) {
    return new SweepRound(office.clock.instant(), freed, true, Optional.of(office.clock.instant()));
  }

  private boolean isStuck(EntityId invoice) {
    return office.look(invoice).status().equals("closing");
  }

  @Test
  @DisplayName(
      "given a crashed holder, then the entity reverts after the lease and one " + "period [C6]")
  void crash() {
    var node = office.node(JanitorMode.HOSTED);
    for (var i = 0; i < 10; i++) {
      var invoice = node.create("invoice-" + i, "approved");
      office.pass(Duration.ofMillis(3_700));
      var _ = node.claim(invoice, "dies");
      office.pass(Billing.STALE_AFTER.minus(MOMENT));
      assertThat(isStuck(invoice)).isTrue();
      office.pass(Billing.EVERY.plus(MOMENT));
      assertThat(office.look(invoice).status()).isEqualTo("approved");
    }
  }

  @Test
  @DisplayName("given a slow action with renewals, then no sweep reverts it [C6]")
  void renewed() {
    var node = office.node(JanitorMode.HOSTED);
    var invoice = node.create("slow", "approved");
    var claim = node.claim(invoice, "works");
    for (var i = 0; i < 20; i++) {
      office.pass(Billing.STALE_AFTER.dividedBy(3));
      assertThat(node.entities.renew(new RenewAction(claim, Billing.STALE_AFTER)).join())
          .isInstanceOf(RenewActionOutcome.Renewed.class);
    }
    assertThat(isStuck(invoice)).isTrue();
    assertThat(round().freed()).isZero();
  }

  @Test
  @DisplayName("a sweep reverts no entity of another module, nor of a remote janitor [C10]")
  void others() {
    var node = office.node(JanitorMode.HOSTED);
    node.declare(Billing.contract("stock", JanitorMode.REMOTE));
    node.apply(Billing.lifecycle("parcels", "stock"));
    var parcel = node.create(new EntityId(Billing.WORKSPACE, "parcels", "one"), "approved");
    var invoice = node.create("one", "approved");
    var _ = node.claim(parcel, "dies");
    var _ = node.claim(invoice, "dies");

    office.pass(Billing.STALE_AFTER.plus(Billing.EVERY).multipliedBy(3));

    assertThat(isStuck(parcel)).isTrue();
    assertThat(isStuck(invoice)).isFalse();
    assertThat(
            node.janitors
                .sweep(new JanitorId(Billing.WORKSPACE, "stock"), Attribution.SERVER)
                .join())
        .isEqualTo(new SweepOutcome.NotHosted());
    assertThat(
            node.janitors
                .sweep(new JanitorId(Billing.WORKSPACE, "undeclared"), Attribution.SERVER)
                .join())
        .isEqualTo(new SweepOutcome.NotFound());
    assertThat(isStuck(parcel)).isTrue();
  }

  @Test
  @DisplayName(
      "given two nodes, then one sweeps per period, and the other takes over after a crash")
  void twoNodes() {
    var node = office.node(JanitorMode.HOSTED);
    var other = office.node();
    office.pass(Billing.EVERY.multipliedBy(10));
    assertThat(sweeps(node) + sweeps(other)).isEqualTo(10);

    node.failing.add("list");
    node.failing.add("stale");
    var before = sweeps(other);
    office.pass(Billing.EVERY.multipliedBy(10));
    assertThat(sweeps(other) - before).isGreaterThanOrEqualTo(9);
  }

  private static int sweeps(Node node) {
    return node.reads.getOrDefault("stale", 0);
  }

  @Test
  @DisplayName("given a janitor is declared on one node, then a running node sweeps for it")
  void declaredElsewhere() {
    var sweeper = office.node();
    var declarer = office.node();
    declarer.failing.add("list");
    declarer.failing.add("stale");
    declarer.declare(Billing.contract(JanitorMode.HOSTED));
    declarer.apply(Billing.LIFECYCLE);
    var invoice = declarer.create("one", "approved");
    var _ = declarer.claim(invoice, "dies");

    office.pass(
        Billing.STALE_AFTER.plus(Billing.EVERY).plus(SweepRound.TAKEOVER_AFTER).plus(SECOND));

    assertThat(isStuck(invoice)).isFalse();
    assertThat(sweeper.janitors.watched())
        .singleElement()
        .satisfies(watched -> assertThat(watched.isOverdue()).isFalse());
  }

  /** Its leases do not expire exactly at a sweep. */
  private void crowd(Node node) {
    office.pass(SECOND);
    IntStream.range(0, CROWD)
        .mapToObj(i -> node.create("invoice-" + i, "approved"))
        .forEach(
            invoice -> {
              var _ = node.claim(invoice, "dies");
            });
  }

  private long stuck() {
    return office.records.records().values().stream()
        .filter(record -> record instanceof Entity)
        .filter(record -> ((Entity) record).held().isPresent())
        .count();
  }

  @Test
  @DisplayName(
      "given many stuck entities, then sweeps revert them in small batches without a "
          + "pause [C6]")
  void manyAtOnce() {
    var node = office.node(JanitorMode.HOSTED);
    crowd(node);
    office.pass(Billing.STALE_AFTER);
    assertThat(stuck()).isEqualTo(CROWD);

    node.ledger.holdCommands();
    var mostAtOnce = 0;
    office.pass(Billing.EVERY);
    while (node.ledger.held() > 0) {
      mostAtOnce = Math.max(mostAtOnce, node.ledger.held());
      node.ledger.letGo();
      office.pass(Duration.ZERO);
    }

    assertThat(stuck()).isZero();
    assertThat(mostAtOnce).isEqualTo(Sweep.AT_ONCE);
    assertThat(round()).isEqualTo(complete(CROWD));
    assertThat(node.reads).containsEntry("stale", 3 + 3);
  }

  @Test
  @DisplayName("a requested sweep is bounded, and reports whether it is complete")
  void askedFor() {
    var node = office.node(JanitorMode.HOSTED);
    crowd(node);
    office.pass(Billing.STALE_AFTER);
    assertThat(node.janitors.sweep(Billing.JANITOR, Billing.JANITOR.attribution()).join())
        .isEqualTo(new SweepOutcome.Swept(Sweep.AT_MOST, false));
    assertThat(node.janitors.sweep(Billing.JANITOR, Billing.JANITOR.attribution()).join())
        .isEqualTo(new SweepOutcome.Swept(Sweep.AT_MOST, false));
    assertThat(node.janitors.sweep(Billing.JANITOR, Billing.JANITOR.attribution()).join())
        .isEqualTo(new SweepOutcome.Swept(CROWD - 2 * Sweep.AT_MOST, true));
    assertThat(round()).isEqualTo(complete(CROWD));
  }

  @Test
  @DisplayName("given a node crashes during a sweep, then the other node ends the round")
  void diesInTheMiddle() {
    var node = office.node(JanitorMode.HOSTED);
    var other = office.node();
    other.failing.add("list");
    crowd(node);
    office.pass(Billing.STALE_AFTER);
    node.ledger.holdCommands();
    office.pass(Billing.EVERY);
    other.failing.clear();
    // the round begins with its first claims, then the node crashes
    node.ledger.letGo();
    office.pass(Duration.ZERO);
    node.ledger.letGo();
    assertThat(stuck()).isEqualTo(CROWD - Sweep.AT_ONCE);

    office.pass(SweepRound.TAKEOVER_AFTER.plus(JanitorMonitor.INTERVAL));

    assertThat(stuck()).isZero();
    assertThat(round().complete()).isTrue();
  }

  @Test
  @DisplayName("given the ledger rejects a sweep, then it is retried")
  void refused() {
    var node = office.node(JanitorMode.HOSTED);
    var invoice = node.create("one", "approved");
    var _ = node.claim(invoice, "dies");
    office.pass(Billing.STALE_AFTER.minus(SECOND));
    node.failing.add("stale");
    office.pass(Billing.EVERY.plus(SECOND));
    assertThat(isStuck(invoice)).isTrue();

    node.failing.clear();
    office.pass(SweepRound.TAKEOVER_AFTER.minus(SECOND));
    node.ledger.refuseNext(new LedgerException.Overloaded("simulated", SECOND));
    office.pass(JanitorMonitor.INTERVAL.plus(SECOND.multipliedBy(2)));

    assertThat(isStuck(invoice)).isFalse();
  }

  @Test
  @DisplayName("given failing sweeps, then the janitor is overdue until one succeeds [C6]")
  void failing() {
    var node = office.node(JanitorMode.HOSTED);
    node.failing.add("stale");
    office.pass(Billing.EVERY.plus(JanitorTiming.SWEEP).minus(SECOND));
    assertThat(isOverdue(node)).isFalse();
    office.pass(JanitorMonitor.INTERVAL.plus(SECOND.multipliedBy(2)));
    assertThat(isOverdue(node)).isTrue();
    office.pass(Duration.ofMinutes(10));
    assertThat(isOverdue(node)).isTrue();

    node.failing.clear();
    office.pass(SweepRound.TAKEOVER_AFTER.plus(JanitorMonitor.INTERVAL.multipliedBy(2)));
    assertThat(isOverdue(node)).isFalse();
  }

  private static boolean isOverdue(Node node) {
    return node.janitors.watched().getFirst().isOverdue();
  }

  @Test
  @DisplayName("given unreadable sweep records, then the lag of the janitor grows [C6]")
  void unseen() {
    var node = office.node(JanitorMode.HOSTED);
    office.pass(JanitorMonitor.INTERVAL);
    var seen = node.janitors.watched().getFirst();
    assertThat(seen.isOverdue()).isFalse();
    node.failing.add("list");
    office.pass(Billing.EVERY.plus(JanitorTiming.SWEEP).plus(SECOND));
    assertThat(isOverdue(node)).isTrue();
    assertThat(node.janitors.watched().getFirst().lag()).isGreaterThan(JanitorTiming.SWEEP);
  }

  @Test
  @DisplayName(
      "given alternating declarations with other times, then no sweep is postponed " + "[C6]")
  void declaredInTurns() {
    var node = office.node(JanitorMode.HOSTED);
    var other =
        new JanitorContract(
            Billing.MODULE,
            Set.of("closing"),
            JanitorTiming.of(Billing.STALE_AFTER, Billing.EVERY.plus(SECOND)),
            JanitorMode.HOSTED);
    var before = sweeps(node);
    for (var i = 0; i < 20; i++) {
      node.declare(other);
      office.pass(SECOND.multipliedBy(3));
      node.declare(Billing.contract(JanitorMode.HOSTED));
      office.pass(SECOND.multipliedBy(3));
    }
    // 120 s
    assertThat(sweeps(node) - before).isBetween(5, 6);
  }

  @Test
  @DisplayName("given a lost notification, then a node finds the first janitor")
  void notTold() {
    var node = office.node();
    node.ledger.hearNothing();
    var declarer = office.node();
    office.pass(JanitorMonitor.INTERVAL);
    declarer.declare(Billing.contract(JanitorMode.HOSTED));
    office.pass(JanitorMonitor.INTERVAL);
    assertThat(node.janitors.watched()).hasSize(1);
  }

  @Test
  @DisplayName("a scan covers the time since the last complete one, and periodically everything")
  void lookBack() {
    var node = office.node();
    node.declare(
        new JanitorContract(
            Billing.MODULE,
            Set.of("closing"),
            JanitorTiming.of(Billing.STALE_AFTER, SECOND),
            JanitorMode.HOSTED));
    node.leases.clear();
    office.pass(Duration.ofMinutes(2));
    assertThat(node.leases).hasSizeBetween(115, 121);
    assertThat(node.leases).filteredOn(leases -> leases.window().isEmpty()).hasSizeBetween(3, 5);
    assertThat(node.leases)
        .allSatisfy(
            leases ->
                assertThat(leases.window().orElse(Duration.ZERO))
                    .isLessThan(Duration.ofSeconds(30)));
  }

  @Test
  @DisplayName(
      "given a period of one second, then sweeps run every second, also after a " + "change [C6]")
  void shortPeriod() {
    var node = office.node();
    var contract =
        new JanitorContract(
            Billing.MODULE,
            Set.of("closing"),
            JanitorTiming.of(Duration.ofSeconds(2), SECOND),
            JanitorMode.HOSTED);
    office.pass(Duration.ofMillis(1_300));
    node.declare(contract);
    node.apply(Billing.LIFECYCLE);
    for (var i = 0; i < 5; i++) {
      var invoice = node.create("invoice-" + i, "approved");
      office.pass(Duration.ofMillis(700));
      var _ = node.claim(invoice, "dies");
      office.pass(Duration.ofSeconds(2));
      assertThat(isStuck(invoice)).isTrue();
      office.pass(SECOND);
      assertThat(isStuck(invoice)).isFalse();
    }
  }

  @Test
  @DisplayName("the history names the janitor as the actor")
  void history() {
    var node = office.node(JanitorMode.HOSTED);
    var invoice = node.create("one", "approved");
    var _ = node.claim(invoice, "dies");
    office.pass(Billing.STALE_AFTER.plus(Billing.EVERY));
    assertThat(node.entities.events(invoice, 2, 10).join().items())
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.change()).isInstanceOf(EntityChange.ClaimReverted.class);
              assertThat(event.actor().name()).isEqualTo("janitor billing");
            });
  }

  @Test
  @DisplayName("given no janitors, then a node queries the database once in five seconds")
  void idle() {
    var node = office.node(JanitorMode.HOSTED);
    node.reads.clear();
    office.pass(Duration.ofMinutes(10));
    assertThat(node.reads).containsOnlyKeys("list", "stale");
    assertThat(node.reads()).isLessThanOrEqualTo(600 / 5 + 600 / 20);
    assertThat(node.janitors.watched()).extracting(JanitorStatus::isOverdue).containsExactly(false);
  }
}
