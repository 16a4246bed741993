package dev.hapax.domain.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.LifecycleSet;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CoverageTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final JanitorId ID = new JanitorId(Workspace.DEFAULT, "billing");
  private static final RequiredClaimStates BILLING =
      new RequiredClaimStates("billing", "billing", Set.of("closing", "paying"));
  private static final RequiredClaimStates SHIPPING =
      new RequiredClaimStates("shipping", "stock", Set.of("packing"));

  private static JanitorContract contract(String module, String... states) {
    return new JanitorContract(
        module, Set.copyOf(Arrays.asList(states)), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
  }

  @Test
  @DisplayName(
      "a claim state without a janitor is named, with its lifecycle and its module " + "[C5]")
  void uncovered() {
    var uncovered =
        UncoveredState.of(
            List.of(SHIPPING, BILLING),
            List.of(contract("billing", "closing"), contract("billing2", "paying", "packing")));
    assertThat(uncovered)
        .containsExactly(
            new UncoveredState("billing", "paying", "billing"),
            new UncoveredState("shipping", "packing", "stock"));
    assertThat(uncovered.getFirst().text()).contains("\"billing\"", "\"paying\"", "module");
  }

  @Test
  @DisplayName("given every claim state is covered, then none is reported [C5]")
  void covered() {
    assertThat(
            UncoveredState.of(
                List.of(SHIPPING, BILLING),
                List.of(
                    contract("billing", "closing", "paying", "other"),
                    contract("stock", "packing"))))
        .isEmpty();
  }

  private final Map<RecordKey<?>, Object> records = new HashMap<>();

  private static ApplyLifecycles declaration(JanitorContract contract, Attribution by) {
    return new ApplyLifecycles(LifecycleSet.of(Workspace.DEFAULT, contract), Map.of(), 0, by);
  }

  private ApplyLifecyclesOutcome declare(JanitorContract contract) {
    var batch = new Batch(records, NOW);
    var outcome = batch.decide(declaration(contract, Attribution.SERVER));
    batch.changes().forEach((key, change) -> put(key, change));
    return outcome;
  }

  private void put(RecordKey<?> key, Batch.Change change) {
    if (change.after() != null) {
      records.put(key, change.after());
    }
  }

  @Test
  @DisplayName("a contract may come before its lifecycle, and the same again changes nothing")
  void declare() {
    var contract = contract("billing", "closing");
    assertThat(declare(contract))
        .isEqualTo(
            declared(new Janitor(Optional.of(contract), NOW, Map.of(), Attribution.SERVER), false));
    var before = Map.copyOf(records);
    assertThat(declare(contract))
        .isEqualTo(
            declared(new Janitor(Optional.of(contract), NOW, Map.of(), Attribution.SERVER), true));
    assertThat(records).isEqualTo(before);
  }

  private static ApplyLifecyclesOutcome.Applied declared(Janitor janitor, boolean already) {
    return new ApplyLifecyclesOutcome.Applied(
        List.of(), List.of(new ApplyLifecyclesOutcome.Stored<>(janitor, already)));
  }

  @Test
  @DisplayName("a contract keeps its author and reason, also when lifecycles are applied")
  void attribution() {
    var ann = new Attribution("ann", "the first one", PrincipalName.NONE);
    var batch = new Batch(records, NOW);
    var outcome = batch.decide(declaration(contract("billing", "closing"), ann));
    var janitor = ((ApplyLifecyclesOutcome.Applied) outcome).janitors().getFirst().record();
    assertThat(janitor.by()).isEqualTo(ann);
    assertThat(janitor.withRequired(BILLING).by()).isEqualTo(ann);
    assertThat(janitor.withRequired(BILLING).withoutRequired("billing").by()).isEqualTo(ann);
  }

  @Test
  @DisplayName("given a lifecycle needs a contract, then the contract cannot be withdrawn [C5]")
  void uncovers() {
    records.put(
        ID,
        new Janitor(
            Optional.of(contract("billing", "closing", "paying")),
            NOW,
            Map.of("billing", BILLING),
            Attribution.SERVER));
    var before = Map.copyOf(records);
    assertThat(declare(contract("billing", "closing")))
        .isEqualTo(
            new ApplyLifecyclesOutcome.Uncovered(
                List.of(new UncoveredState("billing", "paying", "billing"))));
    assertThat(records).isEqualTo(before);
    assertThat(declare(contract("billing", "closing", "paying", "more")))
        .isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
  }

  @Test
  @DisplayName("a contract for all claim states also covers future ones of its module [C5]")
  void all() {
    var all =
        new JanitorContract(
            "billing", new ClaimStateCoverage.All(), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    assertThat(UncoveredState.of(List.of(SHIPPING, BILLING), List.of(all)))
        .containsExactly(new UncoveredState("shipping", "packing", "stock"));
    assertThat(declare(all)).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    var janitor = new Janitor(Optional.of(all), NOW, Map.of(), Attribution.SERVER);
    assertThat(janitor.withRequired(BILLING).uncovered()).isEmpty();
    assertThat(janitor.covers("anything", JanitorMode.HOSTED)).isTrue();
    assertThat(janitor.covers("anything", JanitorMode.REMOTE)).isFalse();
    records.put(ID, janitor.withRequired(BILLING));
    assertThat(declare(contract("billing", "closing")))
        .isInstanceOf(ApplyLifecyclesOutcome.Uncovered.class);
  }

  @Test
  @DisplayName(
      "a round is recorded with the database's time; a janitor's period begins at its declaration")
  void rounds() {
    var id = new SweepRoundId(ID);
    var contract = contract("billing");
    var janitor =
        new Janitor(Optional.of(contract), NOW, Map.of("billing", BILLING), Attribution.SERVER);
    var batch = new Batch(Map.of(ID, janitor), NOW);
    assertThat(batch.decide(new RecordSweepRound(id, contract.mode(), 3, true)))
        .contains(round(0, 3));
    var old = Optional.of(round(-600, 0));
    assertThat(watched(janitor, old, 140).isOverdue()).isFalse();
    assertThat(watched(janitor, old, 160).isOverdue()).isTrue();
    assertThat(watched(janitor, Optional.of(round(60, 0)), 160).isOverdue()).isFalse();
    assertThat(watched(Janitor.NONE, old, 1_000_000).isOverdue()).isFalse();
  }

  @Test
  @DisplayName("given no lifecycle needs a janitor, then it is never overdue")
  void unneeded() {
    var janitor =
        new Janitor(
            Optional.of(contract("billing")), NOW, Map.of("billing", BILLING), Attribution.SERVER);
    assertThat(watched(janitor, Optional.empty(), 1_000_000).isOverdue()).isTrue();
    var spared = watched(janitor.withoutRequired("billing"), Optional.empty(), 1_000_000);
    assertThat(spared.isOverdue()).isFalse();
    assertThat(spared.lag()).isZero();
  }

  private static SweepRound round(long seconds, int freed) {
    var at = NOW.plusSeconds(seconds);
    return new SweepRound(at, freed, true, Optional.of(at));
  }

  private static JanitorReads.JanitorStatus watched(
      Janitor janitor, Optional<SweepRound> last, long secondsLater) {
    return new JanitorReads.JanitorStatus(ID, janitor, last, NOW.plusSeconds(secondsLater));
  }
}
