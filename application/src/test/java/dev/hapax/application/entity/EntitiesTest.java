package dev.hapax.application.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Office.Node;
import dev.hapax.application.run.PollRequest;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.BeginActionOutcome.ClaimFailed;
import dev.hapax.domain.entity.BeginActionOutcome.Granted;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.CreateEntityOutcome;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.FailActionOutcome;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.entity.ReleaseClaimOutcome;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EntitiesTest {
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration MOMENT = Duration.ofMillis(1);
  private final Office office = new Office();
  private final Node node = office.node(JanitorMode.HOSTED);
  private final EntityId invoice = node.create("one", "approved");

  private static FailAction failed(ActionClaim claim) {
    return new FailAction(claim, ActionFailureKind.FAILURE, "no money", Actor.caller("test"));
  }

  private FailActionOutcome fail(ActionClaim claim) {
    return node.entities.fail(failed(claim)).join();
  }

  private ReleaseClaimOutcome release(String request) {
    return release(request, RecoveryVerdict.REVERT);
  }

  private ReleaseClaimOutcome release(String request, RecoveryVerdict verdict) {
    return node.entities
        .release(
            new ReleaseClaim(
                invoice,
                request,
                "it hangs",
                OptionalLong.empty(),
                verdict,
                node.entities.draw(Billing.WORKSPACE),
                Actor.caller("operator")))
        .join();
  }

  private static List<CompletableFuture<BeginActionOutcome>> granted(
      List<CompletableFuture<BeginActionOutcome>> begins) {
    return begins.stream()
        .filter(begin -> begin.isDone() && begin.join() instanceof Granted)
        .toList();
  }

  @Test
  @DisplayName(
      "given 50 concurrent Begins, then one is granted and the others get its holder " + "[C1]")
  void oneOfFifty() {
    var begins =
        IntStream.range(0, 50)
            .mapToObj(i -> node.begin(invoice, "close", "attempt-" + i, Duration.ZERO))
            .toList();

    assertThat(granted(begins)).hasSize(1);
    assertThat(begins)
        .filteredOn(begin -> begin.join() instanceof ClaimFailed)
        .hasSize(49)
        .allSatisfy(
            begin -> {
              var told = (ClaimFailed) begin.join();
              assertThat(told.holder().holder()).isEqualTo("attempt-0");
              assertThat(told.holder().since()).isEqualTo(office.clock.instant());
              assertThat(told.leaseRemaining()).isEqualTo(Billing.STALE_AFTER);
            });
  }

  @Test
  @DisplayName(
      "given many waiters, when the holder ends, then exactly one acquires, each " + "time [C1]")
  void oneWaiter() {
    var claim = node.claim(invoice, "holder");
    var begins =
        IntStream.range(0, 20)
            .mapToObj(i -> node.begin(invoice, "close", "attempt-" + i, WAIT))
            .toList();
    assertThat(begins).noneMatch(CompletableFuture::isDone);
    assertThat(node.places.size()).isEqualTo(20);

    assertThat(fail(claim)).isInstanceOf(FailActionOutcome.Failed.class);

    assertThat(granted(begins)).hasSize(1);
    assertThat(begins).filteredOn(begin -> !begin.isDone()).hasSize(19);
    office.pass(WAIT);
    assertThat(begins).allMatch(CompletableFuture::isDone);
    assertThat(granted(begins)).hasSize(1);
    assertThat(node.places.size()).isZero();
  }

  @Test
  @DisplayName("given a waiter, when the holder's lease expires, then it acquires at once")
  void leaseEnds() {
    var claim = node.claim(invoice, "holder");
    office.pass(Billing.STALE_AFTER.minusSeconds(10));
    var waiting = node.begin(invoice, "close", "waits", WAIT);
    office.pass(Duration.ofSeconds(10).minus(MOMENT));
    assertThat(waiting).isNotDone();

    office.pass(MOMENT);

    assertThat(waiting).isCompletedWithValueMatching(Granted.class::isInstance);
    assertThat(((Granted) waiting.join()).claim().fence().value())
        .isGreaterThan(claim.fence().value());
  }

  @Test
  @DisplayName("given a waiter on one node, when the holder ends on another, then it acquires")
  void foreignCommit() {
    var other = office.node();
    var claim = node.claim(invoice, "holder");
    assertThat(other.reads).doesNotContainKey("free");
    var waiting = other.begin(invoice, "close", "waits", WAIT);

    assertThat(fail(claim)).isInstanceOf(FailActionOutcome.Failed.class);

    assertThat(waiting).isCompletedWithValueMatching(Granted.class::isInstance);
    assertThat(other.places.size()).isZero();
  }

  @Test
  @DisplayName("given the query for remote changes fails, then it is retried")
  void foreignLookFails() {
    var other = office.node();
    var claim = node.claim(invoice, "holder");
    var waiting = other.begin(invoice, "close", "waits", WAIT);
    other.failing.add("free");
    assertThat(fail(claim)).isInstanceOf(FailActionOutcome.Failed.class);
    assertThat(waiting).isNotDone();

    other.failing.clear();
    office.pass(Duration.ofSeconds(1));

    assertThat(waiting).isCompletedWithValueMatching(Granted.class::isInstance);
  }

  @Test
  @DisplayName("a cancelled call frees its place, and a waiting one returns when the server stops")
  void goneAndStopped() {
    var _ = node.claim(invoice, "holder");
    var gone = node.begin(invoice, "close", "goes", WAIT);
    var stays = node.begin(invoice, "close", "stays", WAIT);

    gone.cancel(false);
    assertThat(node.places.size()).isEqualTo(1);

    node.entities.stopWaiting();
    assertThat(stays).isCompletedWithValueMatching(ClaimFailed.class::isInstance);
    assertThat(node.begin(invoice, "close", "comes", WAIT))
        .isCompletedWithValueMatching(ClaimFailed.class::isInstance);
    assertThat(node.places.size()).isZero();
  }

  @Test
  @DisplayName("the module of a lifecycle is looked up once, and again after it changes")
  void owner() {
    assertThat(fail(node.claim(invoice, "first"))).isInstanceOf(FailActionOutcome.Failed.class);
    var before = node.ledger.submitted();
    assertThat(fail(node.claim(invoice, "second"))).isInstanceOf(FailActionOutcome.Failed.class);
    assertThat(node.ledger.submitted() - before).isEqualTo(2);

    var other = office.node();
    other.declare(Billing.contract("accounts", JanitorMode.HOSTED));
    other.apply(Billing.lifecycle(Billing.NAME, "accounts"));

    assertThat(node.claim(invoice, "third").module()).isEqualTo("accounts");
  }

  @Test
  @DisplayName(
      "given a lifecycle change in progress, then rejected calls are retried until it ends")
  void changing() {
    var drafted = node.create("two", "draft");
    var approving = (Granted) node.begin(drafted, "approve", "a", Duration.ZERO).join();
    retire(1, "void", "approved");

    var cancelling = node.begin(invoice, "cancel", "a", Duration.ZERO);
    var waiting = node.begin(invoice, "cancel", "b", WAIT);
    var approved =
        node.entities.complete(
            new CompleteAction(
                approving.claim(),
                Optional.empty(),
                node.entities.draw(Billing.WORKSPACE),
                Actor.caller("test")),
            Retirement.TIME);
    var created =
        node.entities.create(
            new CreateEntity(Office.invoice("3"), "void", "", Actor.caller("test")),
            Retirement.TIME);
    assertThat(List.of(cancelling, waiting, approved, created))
        .noneMatch(CompletableFuture::isDone);

    retire(1);
    office.pass(Duration.ofSeconds(1));

    assertThat(cancelling).isCompletedWithValueMatching(Granted.class::isInstance);
    assertThat(waiting).isCompletedWithValueMatching(Granted.class::isInstance);
    assertThat(approved)
        .isCompletedWithValueMatching(CompleteActionOutcome.Completed.class::isInstance);
    assertThat(created).isCompletedWithValueMatching(CreateEntityOutcome.There.class::isInstance);
    assertThat(node.places.size()).isZero();
  }

  private void retire(long nonce, String... statuses) {
    assertThat(
            node.ledger
                .submit(
                    new RetireStatuses(
                        Billing.WORKSPACE, nonce, Map.of(Billing.NAME, Set.of(statuses))))
                .join())
        .isEmpty();
  }

  @Test
  @DisplayName(
      "given the client of a lifecycle change crashes, then other calls wait at most ten seconds")
  void changingForEver() {
    retire(1, "void");
    var cancelling = node.begin(invoice, "cancel", "a", Duration.ZERO);
    office.pass(Retirement.TIME.minus(MOMENT));
    assertThat(cancelling).isNotDone();
    office.pass(MOMENT);
    assertThat(cancelling).isCompletedWithValueMatching(Granted.class::isInstance);

    retire(2, "void");
    var gone = node.begin(invoice, "cancel", "b", Duration.ZERO);
    assertThat(node.places.size()).isEqualTo(1);
    gone.cancel(false);
    assertThat(node.places.size()).isZero();
  }

  @Test
  @DisplayName("a wait for a lifecycle change ends at its limit, and needs a free place")
  void changingForTooLong() {
    retire(1, "void");
    var hurried =
        node.entities.begin(
            node.beginning(invoice, "cancel", "a"), Duration.ZERO, Duration.ofSeconds(2));
    var waiting =
        node.entities.begin(
            node.beginning(invoice, "cancel", "b"), Duration.ofSeconds(1), Duration.ofSeconds(2));
    office.pass(Duration.ofSeconds(2).minus(MOMENT));
    assertThat(List.of(hurried, waiting)).noneMatch(CompletableFuture::isDone);
    office.pass(MOMENT);
    assertThat(hurried).isCompletedWithValue(new BeginActionOutcome.Changing());
    assertThat(waiting).isCompletedWithValue(new BeginActionOutcome.Changing());

    for (var i = 0; i < WaiterQuota.MAX_PER_WORKSPACE; i++) {
      node.places.take(Billing.WORKSPACE);
    }
    assertThat(node.begin(invoice, "cancel", "c", Duration.ZERO))
        .isCompletedWithValue(new BeginActionOutcome.Changing());
    assertThat(
            node.entities.create(
                new CreateEntity(Office.invoice("3"), "void", "", Actor.caller("test")),
                Retirement.TIME))
        .isCompletedWithValue(new CreateEntityOutcome.Changing());
  }

  @Test
  @DisplayName("given a cancelled call, then it is never retried [C1]")
  void goneAmidATry() {
    var other = office.node();
    var held = node.claim(invoice, "holder");
    var gone = node.begin(invoice, "close", "goes", WAIT);
    node.ledger.holdCommands();
    for (var next : List.of("second", "third")) {
      assertThat(other.entities.fail(failed(held)).join())
          .isInstanceOf(FailActionOutcome.Failed.class);
      // the query for remote changes ends
      office.pass(Duration.ofSeconds(1));
      held = other.claim(invoice, next);
    }
    assertThat(node.ledger.held()).isEqualTo(1);
    gone.cancel(false);
    var before = node.ledger.submitted();
    node.ledger.letGo();

    assertThat(node.ledger.submitted()).isEqualTo(before);
    assertThat(office.look(invoice).claim()).contains(held);
  }

  @Test
  @DisplayName("each kind of failure reverts the entity, and success advances it [C2]")
  void ends() {
    for (var kind : ActionFailureKind.values()) {
      var claim = node.claim(invoice, kind.name());
      assertThat(office.look(invoice).status()).isEqualTo("closing");
      var outcome =
          node.entities.fail(new FailAction(claim, kind, "why", Actor.caller("test"))).join();
      assertThat(outcome).isInstanceOf(FailActionOutcome.Failed.class);
      assertThat(office.look(invoice).status()).isEqualTo("approved");
    }
    assertThat(node.complete(node.claim(invoice, "last")))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
    assertThat(office.look(invoice).status()).isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "given a lost response, then a retry gets it, however much the entity has " + "changed [X1]")
  void already() {
    var completed = node.claim(invoice, "completes");
    assertThat(isAlready(node.complete(completed))).isFalse();
    var _ = moveOn();
    var failed = node.claim(invoice, "fails");
    assertThat(fail(failed)).isInstanceOf(FailActionOutcome.Failed.class);
    var _ = node.claim(invoice, "another");

    assertThat(isAlready(node.complete(completed))).isTrue();
    assertThat(isAlready(fail(failed))).isTrue();
    assertThat(node.complete(failed)).isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(fail(completed)).isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(node.entities.renew(new RenewAction(completed, Billing.STALE_AFTER)).join())
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(office.effects()).hasSize(1);
  }

  private static boolean isAlready(CompleteActionOutcome outcome) {
    assertThat(outcome).isInstanceOf(CompleteActionOutcome.Completed.class);
    return ((CompleteActionOutcome.Completed) outcome).already();
  }

  private static boolean isAlready(FailActionOutcome outcome) {
    assertThat(outcome).isInstanceOf(FailActionOutcome.Failed.class);
    return ((FailActionOutcome.Failed) outcome).already();
  }

  @Test
  @DisplayName(
      "given an operator releases an action as done, then it completes once, with its after-effect")
  void completedByHand() {
    node.claim(invoice, "a");
    assertThat(isAlready(release("r", RecoveryVerdict.COMPLETE))).isFalse();
    assertThat(office.look(invoice).status()).isEqualTo("closed");
    assertThat(office.effects()).hasSize(1);
    assertThat(isAlready(release("r", RecoveryVerdict.COMPLETE))).isTrue();
    assertThat(office.effects()).hasSize(1);
  }

  private static boolean isAlready(ReleaseClaimOutcome outcome) {
    assertThat(outcome).isInstanceOf(ReleaseClaimOutcome.Released.class);
    return ((ReleaseClaimOutcome.Released) outcome).already();
  }

  private CompleteActionOutcome moveOn() {
    var reopening = (Granted) node.begin(invoice, "reopen", "reopens", Duration.ZERO).join();
    return node.complete(reopening.claim());
  }

  @Test
  @DisplayName("given a late completion, then its claim is lost and the entity unchanged [C7]")
  void lateFinisher() {
    var late = node.claim(invoice, "late");
    office.pass(Billing.STALE_AFTER);
    var next = node.claim(invoice, "next");
    var before = office.look(invoice);

    assertThat(node.complete(late))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST));
    assertThat(fail(late)).isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST));
    assertThat(node.entities.renew(new RenewAction(late, Billing.STALE_AFTER)).join())
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST));
    assertThat(office.look(invoice)).isEqualTo(before);
    assertThat(office.effects()).isEmpty();
    assertThat(node.complete(next)).isInstanceOf(CompleteActionOutcome.Completed.class);
  }

  @Test
  @DisplayName("given repeated releases by an operator, then one takes effect")
  void release() {
    var released = node.claim(invoice, "hangs");
    assertThat(isAlready(release("first"))).isFalse();
    assertThat(node.complete(released))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.RELEASED));
    var _ = node.claim(invoice, "hangs too");
    assertThat(isAlready(release("second"))).isFalse();
    var _ = node.claim(invoice, "works");

    assertThat(isAlready(release("first"))).isTrue();
    assertThat(office.look(invoice).status()).isEqualTo("closing");
  }

  @Test
  @DisplayName("given success, and only then, a worker gets the after-effect at once [C9]")
  void afterEffect() {
    var queue =
        new PollRequest(
            Billing.WORKSPACE,
            List.of(Billing.EFFECT),
            "mailer",
            Optional.empty(),
            1,
            PrincipalName.NONE);
    var poll = node.runs.tasks().poll(queue, WAIT);
    assertThat(fail(node.claim(invoice, "fails"))).isInstanceOf(FailActionOutcome.Failed.class);
    assertThat(poll).isNotDone();

    assertThat(node.complete(node.claim(invoice, "works")))
        .isInstanceOf(CompleteActionOutcome.Completed.class);

    assertThat(poll).isDone();
    assertThat(poll.join())
        .singleElement()
        .satisfies(task -> assertThat(task.run().status()).isEqualTo(RunStatus.RUNNING));
  }
}
