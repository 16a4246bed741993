package dev.hapax.application.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Billing;
import dev.hapax.application.entity.Office;
import dev.hapax.application.entity.Office.Node;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.entity.BeginActionOutcome.Granted;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.domain.lifecycle.Retirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecyclesTest {
  private final Office office = new Office();
  private final Node node = office.node();

  private CompletableFuture<ApplyOutcome> apply(Lifecycle lifecycle) {
    return node.lifecycles.apply(Billing.WORKSPACE, lifecycle, Attribution.SERVER);
  }

  private void billing() {
    node.declare(Billing.contract(JanitorMode.HOSTED));
    node.apply(Billing.LIFECYCLE);
  }

  private static ApplyOutcome.Applied applied(CompletableFuture<ApplyOutcome> apply) {
    assertThat(apply).isCompletedWithValueMatching(ApplyOutcome.Applied.class::isInstance);
    return (ApplyOutcome.Applied) apply.join();
  }

  @Test
  @DisplayName(
      "a claim state that no janitor covers is named, and the lifecycle is not " + "applied [C5]")
  void uncovered() {
    assertThat(apply(Billing.LIFECYCLE).join())
        .isEqualTo(
            new ApplyOutcome.Uncovered(
                List.of(new UncoveredState(Billing.NAME, "closing", Billing.MODULE))));
    assertThat(node.lifecycles.find(Billing.ID).join()).isEmpty();

    billing();
    assertThat(node.lifecycles.list(Billing.WORKSPACE, 10, Optional.empty()).join().items())
        .containsExactly(node.lifecycles.find(Billing.ID).join().orElseThrow());
  }

  @Test
  @DisplayName("applying the same lifecycle changes nothing, and another one is the next version")
  void again() {
    billing();
    var commands = node.ledger.submitted();
    var again = applied(apply(Billing.LIFECYCLE));
    assertThat(again.already()).isTrue();
    assertThat(again.applied().version()).isEqualTo(1);
    assertThat(node.ledger.submitted())
        .as("every server does this at its start")
        .isEqualTo(commands);

    var next = applied(apply(Billing.withoutVoid()));
    assertThat(next.already()).isFalse();
    assertThat(next.applied().version()).isEqualTo(2);
    assertThat(next.applied().retiring()).isEmpty();
  }

  @Test
  @DisplayName("a status is removed once no entity is in it; until then it stays open")
  void inUse() {
    billing();
    var invoice = node.create("one", "approved");
    assertThat(
            node.complete(
                ((Granted) node.begin(invoice, "cancel", "a", Duration.ZERO).join()).claim()))
        .isInstanceOf(CompleteActionOutcome.Completed.class);

    assertThat(apply(Billing.withoutVoid()).join())
        .isInstanceOfSatisfying(
            ApplyOutcome.InUse.class,
            inUse -> {
              assertThat(inUse.statuses()).containsExactly("void");
              assertThat(inUse.stranded()).extracting(Entity::id).containsExactly(invoice);
            });
    var _ = node.create("two", "void");
  }

  @Test
  @DisplayName("given a workspace with 1,000 lifecycles, then no more can be applied, but changed")
  void tooMany() {
    billing();
    IntStream.range(1, LifecycleReads.MAX_PER_WORKSPACE)
        .forEach(i -> node.apply(Billing.lifecycle("l" + i, Billing.MODULE)));
    assertThat(apply(Billing.lifecycle("x", Billing.MODULE)))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(TooManyException.class)
        .withMessage("the workspace already has 1000 lifecycles, the largest number allowed");
    node.apply(Billing.withoutVoid());
  }

  @Test
  @DisplayName("a lifecycle without claim states creates no janitor record")
  void noDemand() {
    for (var module : List.of("a", "b", "c")) {
      node.apply(new Lifecycle("plain", module, "plain", List.of("one"), List.of()));
    }
    assertThat(node.janitors.list(Billing.WORKSPACE, 10, Optional.empty()).join().items())
        .isEmpty();
  }

  @Test
  @DisplayName("given two concurrent changes of a lifecycle, then one has to wait")
  void twoChanges() {
    billing();
    var another = new RetireStatuses(Billing.ID, 1, Set.of("void"));
    assertThat(node.ledger.submit(another).join()).isTrue();

    assertThat(apply(Billing.withoutVoid()).join()).isEqualTo(new ApplyOutcome.Changing());

    office.pass(Retirement.TIME);
    assertThat(applied(apply(Billing.withoutVoid())).already()).isFalse();
  }

  private static Lifecycle withoutReopen() {
    var steps =
        Billing.LIFECYCLE.steps().stream().filter(step -> !step.key().equals("reopen")).toList();
    return new Lifecycle(
        Billing.NAME, Billing.MODULE, "invoices", Billing.LIFECYCLE.statuses(), steps);
  }

  @Test
  @DisplayName(
      "given a lifecycle that changes between the read and the command, the answer has the change")
  void changedMeanwhile() {
    billing();
    node.ledger.holdCommands();
    var change = apply(withoutReopen());
    office.node().apply(withoutReopen());
    node.ledger.letGo();

    assertThat(applied(change).already()).isTrue();
    assertThat(applied(change).applied().version()).isEqualTo(2);
  }

  @Test
  @DisplayName("given a change exceeds its time, then it searches again before it applies")
  void tooLate() {
    billing();
    node.ledger.holdCommands();
    var change = apply(Billing.withoutVoid());
    // to be retired, retired
    node.ledger.letGo();
    node.ledger.letGo();
    office.pass(Retirement.TIME);
    var meanwhile = office.node().create("one", "void");
    // to be retired again, retired again, opened again
    node.ledger.letGo();
    node.ledger.letGo();
    node.ledger.letGo();

    assertThat(change).isCompletedWithValueMatching(ApplyOutcome.InUse.class::isInstance);
    assertThat(office.look(meanwhile).status()).isEqualTo("void");
  }

  @Test
  @DisplayName(
      "given the search fails, then nothing changes and the statuses reopen within seconds")
  void lookFails() {
    billing();
    node.failing.add("stranded");
    assertThat(apply(Billing.withoutVoid())).isCompletedExceptionally();
    office.pass(Retirement.TIME);
    var _ = node.create("one", "void");
  }
}
