package dev.hapax.application.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Office.Node;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.BeginActionOutcome.Granted;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many callers wait for one entity. */
class WaitingActionsTest {
  private static final int WAITERS = 50;
  private static final Duration WAIT = Duration.ofSeconds(30);
  private final Office office = new Office();
  private final Node node = office.node(JanitorMode.HOSTED);
  private final EntityId invoice = node.create("one", "approved");
  private final ActionClaim holder = node.claim(invoice, "holder");

  private List<CompletableFuture<BeginActionOutcome>> begin(String step) {
    return IntStream.range(0, WAITERS)
        .mapToObj(i -> node.begin(invoice, step, step + " " + i, WAIT))
        .toList();
  }

  private void fail(ActionClaim claim) {
    var command =
        new FailAction(claim, ActionFailureKind.FAILURE, "no money", Actor.caller("test"));
    node.entities.fail(command).join();
    office.pass(Duration.ZERO);
  }

  private static ActionClaim claim(CompletableFuture<BeginActionOutcome> begin) {
    assertThat(begin).isCompletedWithValueMatching(Granted.class::isInstance);
    return ((Granted) begin.join()).claim();
  }

  @Test
  @DisplayName(
      "given one failure after another, then each waiter acquires in turn, with few commands")
  void inTurn() {
    var waiting = begin("close");
    var before = node.ledger.submitted();
    var claim = holder;
    for (var next : waiting) {
      assertThat(next).isNotDone();
      fail(claim);
      claim = claim(next);
    }
    // the failure, the Begin, and the one that the commit of that Begin wakes
    assertThat(node.ledger.submitted() - before).isLessThanOrEqualTo(3 * WAITERS);
  }

  @Test
  @DisplayName("given a completion, then all waiters get the new status")
  void completed() {
    var waiting = begin("close");
    node.complete(holder);
    office.pass(Duration.ZERO);
    assertThat(waiting)
        .allSatisfy(
            begin ->
                assertThat(begin)
                    .isCompletedWithValue(new BeginActionOutcome.WrongStatus("closed")));
    assertThat(node.places.size()).isZero();
  }

  @Test
  @DisplayName("given a failure, then all waiters for a step without a claim state are granted")
  void withoutClaimState() {
    var waiting = begin("cancel");
    fail(holder);
    assertThat(waiting).allSatisfy(begin -> assertThat(claim(begin).exclusive()).isFalse());
  }

  @Test
  @DisplayName("given a woken waiter whose step is being changed, another one acquires at once")
  void changing() {
    var cancelling = begin("cancel");
    var closing = begin("close");
    node.ledger
        .submit(new RetireStatuses(Billing.WORKSPACE, 1, Map.of(Billing.NAME, Set.of("void"))))
        .join();

    fail(holder);

    assertThat(cancelling).noneMatch(CompletableFuture::isDone);
    assertThat(claim(closing.getFirst()).exclusive()).isTrue();
    assertThat(closing.stream().filter(CompletableFuture::isDone)).hasSize(1);
  }
}
