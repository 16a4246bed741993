package dev.hapax.application.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Billing;
import dev.hapax.application.entity.Office;
import dev.hapax.application.entity.Office.Node;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.entity.BeginActionOutcome.Granted;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.domain.lifecycle.Retirement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    return node.apply(LifecycleSet.of(Billing.WORKSPACE, lifecycle));
  }

  private void billing() {
    node.declare(Billing.contract(JanitorMode.HOSTED));
    node.apply(Billing.LIFECYCLE);
  }

  private static Stored<AppliedLifecycle> applied(CompletableFuture<ApplyOutcome> apply) {
    assertThat(apply).isCompletedWithValueMatching(ApplyOutcome.Applied.class::isInstance);
    return ((ApplyOutcome.Applied) apply.join()).lifecycles().getFirst();
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
    assertThat(again.record().version()).isEqualTo(1);
    assertThat(node.ledger.submitted())
        .as("every server does this at its start")
        .isEqualTo(commands);

    var next = applied(apply(Billing.withoutVoid()));
    assertThat(next.already()).isFalse();
    assertThat(next.record().version()).isEqualTo(2);
    assertThat(next.record().retiring()).isEmpty();
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
  @DisplayName("a set that would exceed the limit of a workspace is refused as a whole")
  void tooManyTogether() {
    billing();
    IntStream.range(1, LifecycleReads.MAX_PER_WORKSPACE - 1)
        .forEach(i -> node.apply(Billing.lifecycle("l" + i, Billing.MODULE)));
    var two =
        new LifecycleSet(
            Billing.WORKSPACE,
            List.of(Billing.lifecycle("x", Billing.MODULE), Billing.lifecycle("y", Billing.MODULE)),
            List.of());
    assertThat(node.apply(two)).isCompletedExceptionally();
    assertThat(node.lifecycles.find(new LifecycleId(Billing.WORKSPACE, "x")).join()).isEmpty();
    node.apply(Billing.lifecycle("y", Billing.MODULE));
  }

  private static LifecycleSet with(Lifecycle lifecycle, JanitorMode mode) {
    return new LifecycleSet(
        Billing.WORKSPACE,
        List.of(lifecycle, Billing.lifecycle("orders", Billing.MODULE)),
        List.of(Billing.contract(mode)));
  }

  @Test
  @DisplayName("a set is one command, and none if all of it is stored already")
  void together() {
    var set = with(Billing.LIFECYCLE, JanitorMode.HOSTED);
    assertThat(node.apply(set))
        .isCompletedWithValueMatching(ApplyOutcome.Applied.class::isInstance);
    assertThat(node.ledger.submitted()).isEqualTo(1);

    assertThat(node.apply(set))
        .isCompletedWithValueMatching(
            outcome ->
                outcome instanceof ApplyOutcome.Applied(var lifecycles, var janitors)
                    && lifecycles.stream().allMatch(Stored::already)
                    && janitors.stream().allMatch(Stored::already));
    assertThat(node.ledger.submitted()).isEqualTo(1);
  }

  @Test
  @DisplayName("an entity that one lifecycle would strand keeps the whole set from being applied")
  void inUseTogether() {
    var _ = node.apply(with(Billing.LIFECYCLE, JanitorMode.HOSTED)).join();
    var invoice = node.create("one", "void");
    var janitors = node.janitors.all().join();

    assertThat(node.apply(with(Billing.withoutVoid(), JanitorMode.REMOTE)).join())
        .isInstanceOfSatisfying(
            ApplyOutcome.InUse.class,
            inUse -> {
              assertThat(inUse.lifecycle()).isEqualTo(Billing.NAME);
              assertThat(inUse.stranded()).extracting(Entity::id).containsExactly(invoice);
            });
    assertThat(node.janitors.all().join()).isEqualTo(janitors);
    var _ = node.create("two", "void");
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
    var another = new RetireStatuses(Billing.WORKSPACE, 1, Map.of(Billing.NAME, Set.of("void")));
    assertThat(node.ledger.submit(another).join()).isEmpty();

    assertThat(apply(Billing.withoutVoid()).join())
        .isEqualTo(new ApplyOutcome.Changing(Billing.NAME));

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
    assertThat(applied(change).record().version()).isEqualTo(2);
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
