package dev.hapax.application.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Billing;
import dev.hapax.application.entity.Office;
import dev.hapax.application.entity.Office.Node;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.BeginRecovery;
import dev.hapax.domain.entity.BeginRecoveryOutcome.Claimed;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CompleteRecoveryOutcome;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecoveryPollsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration WAIT = Duration.ofSeconds(30);
  private final Office office = new Office();
  private final Node node = office.node(JanitorMode.REMOTE);

  private EntityId stuck(String id) {
    var invoice = node.create(id, "approved");
    var _ = node.claim(invoice, "dies");
    return invoice;
  }

  private CompleteRecoveryOutcome complete(RecoveryClaim claim, RecoveryVerdict verdict) {
    return node.janitors
        .complete(
            new CompleteRecovery(
                claim, verdict, "", node.janitors.draw(Billing.WORKSPACE), Actor.caller("worker")))
        .join();
  }

  private static boolean isAlready(CompleteRecoveryOutcome outcome) {
    assertThat(outcome).isInstanceOf(CompleteRecoveryOutcome.Recovered.class);
    return ((CompleteRecoveryOutcome.Recovered) outcome).already();
  }

  @Test
  @DisplayName("given a waiting poll, when a lease expires, then it gets the entity [C6]")
  void parked() {
    office.pass(SECOND);
    var poll = node.poll(Billing.JANITOR, "poll", WAIT);
    var invoice = stuck("one");
    office.pass(WAIT);
    assertThat(Node.claimed(poll)).isEmpty();

    var second = node.poll(Billing.JANITOR, "second", Billing.STALE_AFTER);
    office.pass(WAIT.minus(Duration.ofMillis(1)));
    assertThat(second).isNotDone();
    office.pass(Duration.ofMillis(1));

    assertThat(Node.claimed(second))
        .extracting(claimed -> claimed.entity().id())
        .containsExactly(invoice);
    assertThat(node.places.size()).isZero();
  }

  @Test
  @DisplayName("given a stuck entity, then a poll gets it at once, waiting or not [C6]")
  void before() {
    var first = stuck("one");
    office.pass(SECOND);
    var second = stuck("two");
    office.pass(Billing.STALE_AFTER);

    assertThat(node.recoveries("now"))
        .extracting(claimed -> claimed.entity().id())
        .containsExactly(first, second);
    assertThat(node.recoveries("later")).isEmpty();
    assertThat(stuck("three")).isNotNull();
    office.pass(Billing.STALE_AFTER);
    assertThat(Node.claimed(node.poll(Billing.JANITOR, "waits", WAIT))).hasSize(3);
  }

  @Test
  @DisplayName("given a retried poll on any node, then it gets the same grants and fences [X1]")
  void again() {
    var other = office.node();
    var _ = stuck("one");
    var _ = stuck("two");
    office.pass(Billing.STALE_AFTER);
    var first = claims(node.recoveries("poll"));
    assertThat(first).hasSize(2);
    office.pass(SECOND);

    assertThat(claims(node.recoveries("poll"))).isEqualTo(first);
    assertThat(claims(other.recoveries("poll"))).isEqualTo(first);
    assertThat(other.recoveries("another")).isEmpty();
    // its lease was renewed
    office.pass(Duration.ofMinutes(1).minus(SECOND));
    assertThat(node.recoveries("another")).isEmpty();
    office.pass(SECOND);
    assertThat(claims(node.recoveries("another"))).hasSize(2).doesNotContainAnyElementsOf(first);
  }

  private static List<RecoveryClaim> claims(List<Claimed> claimed) {
    return claimed.stream().map(Claimed::claim).toList();
  }

  private void letAllGo() {
    while (node.ledger.held() > 0) {
      node.ledger.letGo();
    }
    node.ledger.holdNothing();
  }

  @Test
  @DisplayName("given a grant to a cancelled call, then a retry gets it [X1]")
  void grantedTooLate() {
    var invoice = stuck("one");
    office.pass(Billing.STALE_AFTER);
    node.ledger.holdAnswers();
    var gone = node.poll(Billing.JANITOR, "poll", WAIT);
    assertThat(node.ledger.held()).isPositive();
    gone.cancel(false);
    letAllGo();

    assertThat(node.recoveries("another")).isEmpty();
    // no query is needed
    node.blind.add("polled");
    assertThat(node.recoveries("poll"))
        .extracting(claimed -> claimed.entity().id())
        .containsExactly(invoice);
  }

  @Test
  @DisplayName("given a retry during the grant, then it gets that grant [X1]")
  void againMeanwhile() {
    for (var wait : List.of(Duration.ZERO, WAIT)) {
      var invoice = stuck("with-" + wait);
      office.pass(Billing.STALE_AFTER);
      node.ledger.holdAnswers();
      // no query is needed
      node.blind.add("polled");
      var first = node.poll(Billing.JANITOR, "poll-" + wait, WAIT);
      assertThat(node.ledger.held()).isPositive();
      var second = node.poll(Billing.JANITOR, "poll-" + wait, wait);
      letAllGo();

      assertThat(first).isDone();
      assertThat(Node.claimed(second))
          .extracting(claimed -> claimed.entity().id())
          .contains(invoice);
    }
  }

  @Test
  @DisplayName("given a recovery claim with unknown outcome, then it is retried [X1]")
  void lostAnswer() {
    var invoice = stuck("one");
    office.pass(Billing.STALE_AFTER);
    node.ledger.loseNext(BeginRecovery.class, new LedgerException.Unavailable("away"));
    assertThat(node.recoveries("poll")).isEmpty();
    assertThat(office.look(invoice).recovering()).isPresent();

    // no query is needed
    node.blind.add("polled");
    assertThat(node.recoveries("poll"))
        .extracting(claimed -> claimed.entity().id())
        .containsExactly(invoice);
  }

  @Test
  @DisplayName(
      "given a lost notification, then a waiting poll finds the entity within 30 s " + "[C6]")
  void notTold() {
    var other = office.node();
    office.pass(JanitorMonitor.INTERVAL);
    var poll = node.poll(Billing.JANITOR, "poll", Billing.STALE_AFTER.plus(WAIT.multipliedBy(2)));
    office.pass(SECOND.multipliedBy(3));
    node.ledger.hearNothing();
    var invoice = other.create("one", "approved");
    var _ = other.claim(invoice, "dies");
    assertThat(poll).isNotDone();

    office.pass(Billing.STALE_AFTER.plus(WAIT));

    assertThat(Node.claimed(poll))
        .extracting(claimed -> claimed.entity().id())
        .containsExactly(invoice);
  }

  @Test
  @DisplayName(
      "given a module declares a shorter period and polls, then it is not overdue " + "[C6]")
  void shorterPeriod() {
    node.declare(
        new JanitorContract(
            Billing.MODULE,
            Set.of("closing"),
            JanitorTiming.of(Billing.STALE_AFTER, Duration.ofHours(24)),
            JanitorMode.REMOTE));
    office.pass(JanitorMonitor.INTERVAL);
    assertThat(node.recoveries("first")).isEmpty();
    office.pass(Duration.ofHours(1));
    node.declare(Billing.contract(JanitorMode.REMOTE));
    for (var i = 0; i < 5; i++) {
      assertThat(node.recoveries("poll-" + i)).isEmpty();
      office.pass(JanitorMonitor.INTERVAL.multipliedBy(4));
    }
    assertThat(isOverdue()).isFalse();
  }

  @Test
  @DisplayName(
      "given the same attempt id in another module, then it gets no grant of this " + "one [C10]")
  void otherModule() {
    node.declare(Billing.contract("stock", JanitorMode.REMOTE));
    var _ = stuck("one");
    office.pass(Billing.STALE_AFTER);
    assertThat(node.recoveries("poll")).hasSize(1);

    var stock = new JanitorId(Billing.WORKSPACE, "stock");
    assertThat(Node.claimed(node.poll(stock, "poll", Duration.ZERO))).isEmpty();
    assertThat(Node.claimed(office.node().poll(stock, "poll", Duration.ZERO))).isEmpty();
  }

  @Test
  @DisplayName("given a retried poll, then it replaces the first call")
  void replaced() {
    var first = node.poll(Billing.JANITOR, "poll", WAIT);
    var second = node.poll(Billing.JANITOR, "poll", WAIT);
    assertThat(Node.claimed(first)).isEmpty();
    assertThat(second).isNotDone();
    assertThat(node.places.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("of many polls each entity goes to one")
  void manyPolls() {
    var polls =
        IntStream.range(0, 20)
            .mapToObj(i -> node.poll(Billing.JANITOR, "poll-" + i, Billing.STALE_AFTER.plus(WAIT)))
            .toList();
    IntStream.range(0, 50).forEach(i -> stuck("invoice-" + i));
    office.pass(Billing.STALE_AFTER.plus(SECOND));

    var granted =
        polls.stream()
            .filter(poll -> poll.isDone())
            .flatMap(poll -> Node.claimed(poll).stream())
            .map(claimed -> claimed.entity().id())
            .toList();
    assertThat(granted).hasSize(50).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("a cancelled call frees its place, and a waiting one returns when the server stops")
  void goneAndStopped() {
    var gone = node.poll(Billing.JANITOR, "goes", WAIT);
    var stays = node.poll(Billing.JANITOR, "stays", WAIT);
    gone.cancel(false);
    assertThat(node.places.size()).isEqualTo(1);

    node.janitors.stopWaiting();

    assertThat(Node.claimed(stays)).isEmpty();
    assertThat(Node.claimed(node.poll(Billing.JANITOR, "comes", WAIT))).isEmpty();
    assertThat(node.places.size()).isZero();
  }

  @Test
  @DisplayName(
      "given 100 waiting polls of ten modules, then less than one query per second " + "[X6]")
  void idle() {
    IntStream.range(0, 10)
        .forEach(i -> node.declare(Billing.contract("module-" + i, JanitorMode.REMOTE)));
    var polls = IntStream.range(0, 100).mapToObj(this::pollForLong).toList();
    var reads = node.reads();
    var commands = node.ledger.submitted();

    office.pass(Duration.ofMinutes(2));

    assertThat(polls).noneMatch(poll -> poll.isDone());
    assertThat(node.reads() - reads).isLessThanOrEqualTo(120 / 5 + 24);
    assertThat(node.ledger.submitted() - commands).isLessThanOrEqualTo(10 * 120 / 10);
  }

  private CompletableFuture<PollOutcome> pollForLong(int i) {
    return node.poll(
        new JanitorId(Billing.WORKSPACE, "module-" + i % 10), "poll-" + i, Duration.ofMinutes(3));
  }

  @Test
  @DisplayName("given short polls without changes, then no queries [X6]")
  void idleInTurns() {
    var _ = node.poll(Billing.JANITOR, "first", JanitorMonitor.INTERVAL.plus(SECOND));
    office.pass(JanitorMonitor.INTERVAL);
    node.reads.clear();
    for (var i = 0; i < 100; i++) {
      var _ =
          node.janitors.poll(
              new PollRecoveries(
                  Billing.JANITOR, "worker", Optional.empty(), SECOND, 1, PrincipalName.NONE),
              SECOND);
      office.pass(Duration.ofMillis(300));
    }
    assertThat(node.reads).containsOnlyKeys("list", "firstStale");
    assertThat(node.reads.get("firstStale")).isLessThanOrEqualTo(30 / 10 + 1);
  }

  @Test
  @DisplayName("given a query, scan or claim fails, then it is retried")
  void failures() {
    var invoice = stuck("one");
    office.pass(Billing.STALE_AFTER);
    node.failing.addAll(List.of("firstStale", "stale"));
    var poll = node.poll(Billing.JANITOR, "poll", WAIT);
    office.pass(SECOND);
    node.failing.remove("firstStale");
    office.pass(SECOND.multipliedBy(2));
    assertThat(poll).isNotDone();

    node.failing.clear();
    node.ledger.refuseNext(new LedgerException.Unavailable("away"));
    office.pass(SECOND.multipliedBy(3));

    assertThat(Node.claimed(poll))
        .extracting(claimed -> claimed.entity().id())
        .containsExactly(invoice);
  }

  @Test
  @DisplayName("given a hosted janitor or no contract, then the outcome of a poll says so")
  void notRemote() {
    node.declare(Billing.contract("stock", JanitorMode.HOSTED));
    assertThat(node.poll(new JanitorId(Billing.WORKSPACE, "stock"), "poll", WAIT))
        .isCompletedWithValue(new PollOutcome.NotRemote());
    assertThat(node.poll(new JanitorId(Billing.WORKSPACE, "undeclared"), "poll", WAIT))
        .isCompletedWithValue(new PollOutcome.NotFound());
    // a janitor that has just become remote on another node is known at once
    office.pass(JanitorMonitor.INTERVAL);
    office.node().declare(Billing.contract("stock", JanitorMode.REMOTE));
    assertThat(node.poll(new JanitorId(Billing.WORKSPACE, "stock"), "poll", WAIT)).isNotDone();
  }

  @Test
  @DisplayName("a recovery fences off the holder first, and its verdict takes effect once [C7]")
  void verdict() {
    var invoice = node.create("one", "approved");
    var late = node.claim(invoice, "dies");
    office.pass(Billing.STALE_AFTER);
    assertThat(node.begin(invoice, "close", "next", Duration.ZERO))
        .isCompletedWithValue(new BeginActionOutcome.NeedsRecovery());
    var recovery = node.recoveries("poll").getFirst();

    assertThat(recovery.lost().fence()).isEqualTo(late.fence());
    assertThat(recovery.claim().fence().value()).isGreaterThan(late.fence().value());
    assertThat(node.complete(late))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST));
    assertThat(office.look(invoice).status()).isEqualTo("closing");

    assertThat(isAlready(complete(recovery.claim(), RecoveryVerdict.COMPLETE))).isFalse();
    assertThat(office.look(invoice).status()).isEqualTo("closed");
    assertThat(office.effects()).hasSize(1);

    reopenAndCloseAgain(invoice);
    assertThat(isAlready(complete(recovery.claim(), RecoveryVerdict.COMPLETE))).isTrue();
    assertThat(complete(recovery.claim(), RecoveryVerdict.REVERT))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(office.effects()).hasSize(2);
  }

  private void reopenAndCloseAgain(EntityId invoice) {
    var reopening = node.begin(invoice, "reopen", "reopens", Duration.ZERO).join();
    assertThat(reopening).isInstanceOf(BeginActionOutcome.Granted.class);
    var _ = node.complete(((BeginActionOutcome.Granted) reopening).claim());
    ActionClaim closing = node.claim(invoice, "closes");
    var _ = node.complete(closing);
  }

  @Test
  @DisplayName("given a recovery reverts, then no after-effect starts [C9]")
  void undone() {
    var invoice = stuck("one");
    office.pass(Billing.STALE_AFTER);
    var claim = node.recoveries("poll").getFirst().claim();
    assertThat(isAlready(complete(claim, RecoveryVerdict.REVERT))).isFalse();
    assertThat(isAlready(complete(claim, RecoveryVerdict.REVERT))).isTrue();
    assertThat(office.look(invoice).status()).isEqualTo("approved");
    assertThat(office.effects()).isEmpty();
  }

  @Test
  @DisplayName(
      "a polling module is on schedule; one that stops polling is overdue after its period")
  void overdue() {
    for (var i = 0; i < 20; i++) {
      var poll = node.poll(Billing.JANITOR, "poll-" + i, WAIT);
      office.pass(WAIT);
      assertThat(Node.claimed(poll)).isEmpty();
      assertThat(isOverdue()).isFalse();
    }
    office.pass(Billing.EVERY);
    assertThat(isOverdue()).isFalse();
    office.pass(WAIT.plus(JanitorMonitor.INTERVAL));
    assertThat(isOverdue()).isTrue();
    assertThat(node.janitors.list(Billing.WORKSPACE, 10, Optional.empty()).join().items())
        .extracting(JanitorStatus::isOverdue)
        .containsExactly(true);
  }

  private boolean isOverdue() {
    return node.janitors.watched().getFirst().isOverdue();
  }

  @Test
  @DisplayName("given a lifecycle needs a contract, then the contract cannot shrink [C5]")
  void uncovered() {
    var before = janitors();
    var less =
        new JanitorContract(Billing.MODULE, Set.of(), JanitorTiming.DEFAULT, JanitorMode.REMOTE);
    assertThat(node.apply(LifecycleSet.of(Billing.WORKSPACE, less)).join())
        .isEqualTo(
            new ApplyOutcome.Uncovered(
                List.of(new UncoveredState(Billing.NAME, "closing", Billing.MODULE))));
    assertThat(janitors()).isEqualTo(before);
  }

  private List<Janitor> janitors() {
    return node.janitors.all().join().stream().map(JanitorStatus::janitor).toList();
  }

  @Test
  @DisplayName("given a workspace with 1,000 janitors, then no more can be declared, but changed")
  void tooMany() {
    IntStream.range(1, JanitorReads.MAX_PER_WORKSPACE)
        .forEach(i -> node.declare(Billing.contract("m" + i, JanitorMode.HOSTED)));
    var more = Billing.contract("x", JanitorMode.HOSTED);
    assertThat(node.apply(LifecycleSet.of(Billing.WORKSPACE, more)))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(TooManyException.class)
        .withMessage("the workspace already has 1000 janitors, the largest number allowed");
    node.declare(Billing.contract("m1", JanitorMode.REMOTE));
  }
}
