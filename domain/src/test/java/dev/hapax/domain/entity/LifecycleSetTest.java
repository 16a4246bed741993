package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.RetireStatuses;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lifecycles and contracts that are applied together. */
class LifecycleSetTest {
  private static final String RENAMED = Invoices.TEXT.replace("closing", "shutting");
  private static final JanitorContract OF_RENAMED =
      Invoices.contract(JanitorMode.HOSTED, "shutting", "regenerating");
  private static final String RECEIPTS =
      Invoices.TEXT.replace("\"lifecycle\": \"billing\"", "\"lifecycle\": \"receipts\"");
  private static final LifecycleId RECEIPTS_ID = new LifecycleId(Invoices.WORKSPACE, "receipts");

  private final EntityStory story = EntityStory.approved();
  private int nonce;

  private ApplyLifecycles command(List<String> texts, JanitorContract... contracts) {
    var set =
        new LifecycleSet(
            Invoices.WORKSPACE, texts.stream().map(Invoices::read).toList(), List.of(contracts));
    return new ApplyLifecycles(set, Map.of(), ++nonce, Attribution.SERVER);
  }

  private ApplyLifecyclesOutcome apply(List<String> texts, JanitorContract... contracts) {
    return story.does(command(texts, contracts));
  }

  private void requireNothingStored(ApplyLifecyclesOutcome outcome, Map<?, ?> before) {
    assertThat(outcome).isNotInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    assertThat(story.records()).isEqualTo(before);
  }

  private Janitor janitor() {
    return story.get(Invoices.JANITOR).orElseThrow();
  }

  private static Map<String, Set<String>> statuses(ApplyLifecyclesOutcome outcome) {
    return ((ApplyLifecyclesOutcome.RetireFirst) outcome).statuses();
  }

  private static ApplyLifecyclesOutcome.Applied applied(ApplyLifecyclesOutcome outcome) {
    return (ApplyLifecyclesOutcome.Applied) outcome;
  }

  @Test
  @DisplayName("a claim state gets another name together with its contract, and neither does alone")
  void renamed() {
    var before = story.records();
    requireNothingStored(apply(List.of(RENAMED)), before);
    requireNothingStored(apply(List.of(), OF_RENAMED), before);

    var both = command(List.of(RENAMED), OF_RENAMED);
    assertThat(statuses(story.does(both))).isEqualTo(Map.of("billing", Set.of("closing")));
    var retire = new RetireStatuses(both.workspace(), both.nonce(), statuses(story.does(both)));
    assertThat(story.does(retire)).isEmpty();
    var applied = applied(story.does(both));

    assertThat(applied.lifecycles()).containsExactly(new Stored<>(story.applied(), false));
    assertThat(applied.janitors()).containsExactly(new Stored<>(janitor(), false));
    assertThat(story.applied().version()).isEqualTo(2);
    assertThat(janitor().contract()).contains(OF_RENAMED);
    assertThat(janitor().uncovered()).isEmpty();
  }

  @Test
  @DisplayName("one uncovered claim state refuses the whole set, which then stores nothing [C5]")
  void uncovered() {
    var before = story.records();
    var stock = Invoices.read(RECEIPTS.replace("\"module\": \"billing\"", "\"module\": \"stock\""));
    var set =
        new LifecycleSet(
            Invoices.WORKSPACE, List.of(Invoices.read(RENAMED), stock), List.of(OF_RENAMED));
    var outcome = story.does(new ApplyLifecycles(set, Map.of(), 1, Attribution.SERVER));

    assertThat(outcome)
        .isEqualTo(
            new ApplyLifecyclesOutcome.Uncovered(
                List.of(
                    new UncoveredState("receipts", "closing", "stock"),
                    new UncoveredState("receipts", "regenerating", "stock"))));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("an unregistered definition of one lifecycle refuses the other ones, too")
  void undefined() {
    var before = story.records();
    var registered =
        RECEIPTS.replace(
            "\"steps\": [",
            "\"after_effects\": { \"TellCustomer\": { \"definition\": \"tell\","
                + " \"definition_version\": \"1\" } }, \"steps\": [");
    var more = Invoices.TEXT.replace("\"void\"]", "\"void\", \"archived\"]");
    var outcome = apply(List.of(more, registered));
    assertThat(outcome).isInstanceOf(ApplyLifecyclesOutcome.Undefined.class);
    requireNothingStored(outcome, before);
  }

  @Test
  @DisplayName("two lifecycles of one module are required of one janitor record")
  void sameModule() {
    var applied = applied(apply(List.of(RECEIPTS, Invoices.TEXT)));
    assertThat(applied.lifecycles()).extracting(Stored::already).containsExactly(false, true);
    assertThat(applied.lifecycles().getFirst().record())
        .isEqualTo(story.get(RECEIPTS_ID).orElseThrow());
    assertThat(janitor().demands()).containsOnlyKeys("billing", "receipts");
    var narrow = apply(List.of(), Invoices.contract(JanitorMode.HOSTED, "closing"));
    assertThat(narrow)
        .isInstanceOfSatisfying(
            ApplyLifecyclesOutcome.Uncovered.class,
            refused ->
                assertThat(refused.missing())
                    .extracting(UncoveredState::lifecycle)
                    .containsExactly("billing", "receipts"));
  }

  @Test
  @DisplayName("a module that gives its lifecycle to another one may give up its contract with it")
  void moved() {
    var none = new JanitorContract("billing", Set.of(), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    var stock =
        new JanitorContract(
            "stock", Set.of("closing", "regenerating"), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    var text = Invoices.TEXT.replace("\"module\": \"billing\"", "\"module\": \"stock\"");
    var command = command(List.of(text), none, stock);
    var retire =
        new RetireStatuses(command.workspace(), command.nonce(), statuses(story.does(command)));
    assertThat(story.does(retire)).isEmpty();
    assertThat(applied(story.does(command)).janitors()).hasSize(2);
    assertThat(janitor().contract()).contains(none);
    assertThat(janitor().demands()).isEmpty();
  }

  @Test
  @DisplayName("statuses of several lifecycles are retired together, or none of them")
  void retire() {
    var _ = apply(List.of(RECEIPTS));
    var without = List.of(withoutVoid(Invoices.TEXT), withoutVoid(RECEIPTS));
    var command = command(without);
    var displaced = statuses(story.does(command));
    assertThat(displaced).isEqualTo(Map.of("billing", Set.of("void"), "receipts", Set.of("void")));
    var other = new RetireStatuses(command.workspace(), 77, Map.of("receipts", Set.of("void")));
    assertThat(story.does(other)).isEmpty();
    var before = story.records();

    var retire = new RetireStatuses(command.workspace(), command.nonce(), displaced);
    assertThat(story.does(retire)).contains("receipts");
    assertThat(story.records()).isEqualTo(before);

    var abandoned = new RetireStatuses(command.workspace(), 77, Map.of("receipts", Set.of()));
    assertThat(story.does(abandoned)).isEmpty();
    assertThat(story.does(retire)).isEmpty();
    assertThat(applied(story.does(command)).lifecycles())
        .extracting(Stored::record)
        .extracting(AppliedLifecycle::version)
        .containsExactly(2L, 2L);
  }

  private static String withoutVoid(String text) {
    return text.replace(", \"void\"", "")
        .replace(
            "\"successful_state\": { \"admin\": \"void\" }", "\"successful_state\": \"draft\"");
  }

  @Test
  @DisplayName("a set has each lifecycle and each module once")
  void twice() {
    var lifecycle = Invoices.read(Invoices.TEXT);
    assertThatExceptionOfType(InvalidValueException.class)
        .isThrownBy(
            () ->
                new LifecycleSet(
                    Invoices.WORKSPACE, List.<Lifecycle>of(lifecycle, lifecycle), List.of()))
        .withMessage("has \"billing\" twice");
    assertThatExceptionOfType(InvalidValueException.class)
        .isThrownBy(
            () -> new LifecycleSet(Invoices.WORKSPACE, List.of(), List.of(OF_RENAMED, OF_RENAMED)))
        .withMessage("has \"billing\" twice");
    assertThat(Optional.of(LifecycleSet.of(Invoices.WORKSPACE, OF_RENAMED).janitorIds()))
        .contains(List.of(Invoices.JANITOR));
  }
}
