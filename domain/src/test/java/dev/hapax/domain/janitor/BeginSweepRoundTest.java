package dev.hapax.domain.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BeginSweepRoundTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final JanitorId ID = new JanitorId(Workspace.DEFAULT, "billing");
  private static final SweepRoundId ROUND = new SweepRoundId(ID);
  private final Map<RecordKey<?>, Object> records = new HashMap<>();

  private static JanitorContract contract(Duration every, JanitorMode mode) {
    return new JanitorContract(
        "billing", Set.of("closing"), JanitorTiming.of(Duration.ofMinutes(5), every), mode);
  }

  private void declared(JanitorContract contract) {
    var demand = new RequiredClaimStates("invoices", "billing", Set.of("closing"));
    records.put(
        ID,
        new Janitor(Optional.of(contract), NOW, Map.of("invoices", demand), Attribution.SERVER));
  }

  private boolean begins(long seconds) {
    var batch = new Batch(records, NOW.plusSeconds(seconds));
    var begun = batch.decide(new BeginSweepRound(ROUND)).isPresent();
    batch
        .changes()
        .forEach((key, change) -> records.put(key, Objects.requireNonNull(change.after())));
    return begun;
  }

  private void ended(long seconds, boolean complete) {
    records.put(
        ROUND,
        new SweepRound(
            NOW.plusSeconds(seconds), 1, complete, Optional.of(NOW.plusSeconds(seconds))));
  }

  @Test
  @DisplayName("a round begins one period after the declaration, once for many nodes")
  void once() {
    declared(contract(Duration.ofMinutes(2), JanitorMode.HOSTED));
    assertThat(begins(119)).isFalse();
    assertThat(begins(120)).isTrue();
    assertThat(begins(120)).isFalse();
    ended(125, true);
    assertThat(begins(244)).isFalse();
    assertThat(begins(245)).isTrue();
  }

  @Test
  @DisplayName(
      "given a crashed node, then another one takes over the round, after a shorter period at once")
  void stalled() {
    declared(contract(Duration.ofMinutes(2), JanitorMode.HOSTED));
    assertThat(begins(120)).isTrue();
    ended(125, false);
    assertThat(begins(134)).isFalse();
    assertThat(begins(135)).isTrue();

    declared(contract(Duration.ofSeconds(2), JanitorMode.HOSTED));
    assertThat(begins(137)).isTrue();
  }

  private boolean isOverdue(long seconds) {
    return new JanitorReads.JanitorStatus(
            ID,
            (Janitor) Objects.requireNonNull(records.get(ID)),
            Optional.ofNullable((SweepRound) records.get(ROUND)),
            NOW.plusSeconds(seconds))
        .isOverdue();
  }

  private void looked(long seconds, int freed) {
    var batch = new Batch(records, NOW.plusSeconds(seconds));
    records.put(
        ROUND,
        batch.decide(new RecordSweepRound(ROUND, JanitorMode.HOSTED, freed, false)).orElseThrow());
  }

  @Test
  @DisplayName("a round that begins or frees nothing leaves the janitor as late as it is [C6]")
  void nothingCameOfIt() {
    declared(contract(Duration.ofMinutes(2), JanitorMode.HOSTED));
    assertThat(begins(140)).isTrue();
    assertThat(isOverdue(150)).isFalse();
    looked(150, 0);
    assertThat(isOverdue(151)).isTrue();
    assertThat(begins(160)).isTrue();
    assertThat(isOverdue(161)).isTrue();

    looked(162, 5);
    assertThat(isOverdue(163)).isFalse();
    assertThat(begins(172)).isTrue();
    assertThat(isOverdue(162 + 150)).isFalse();
    assertThat(isOverdue(162 + 151)).isTrue();
  }

  @Test
  @DisplayName(
      "given a clock that went back after a sweep, then the next one is due at once, the later ones"
          + " after their period, and none waits for the clock [public-reports-F4]")
  void clockWentBack() {
    declared(contract(Duration.ofMinutes(2), JanitorMode.HOSTED));
    assertThat(begins(120)).isTrue();
    ended(125, true);

    assertThat(begins(125 - 3_600)).isTrue();
    ended(126 - 3_600, true);
    assertThat(begins(245 - 3_600)).isFalse();
    assertThat(begins(246 - 3_600)).isTrue();
  }

  @Test
  @DisplayName(
      "given a clock that went back after the last sweep, then the janitor is overdue until the next"
          + " one [public-reports-F4]")
  void overdueByTheClock() {
    declared(contract(Duration.ofMinutes(2), JanitorMode.REMOTE));
    ended(10, true);
    assertThat(isOverdue(11)).isFalse();
    assertThat(isOverdue(10 - 3_600)).isTrue();
    ended(11 - 3_600, true);
    assertThat(isOverdue(12 - 3_600)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a sweep or poll in a former mode does not postpone the next one [C6]")
  void otherMode(JanitorMode mode) {
    declared(contract(Duration.ofSeconds(2), mode));
    for (var by : JanitorMode.values()) {
      var batch = new Batch(records, NOW.plusSeconds(1));
      var kept = batch.decide(new RecordSweepRound(ROUND, by, 0, true));
      assertThat(kept.isPresent()).isEqualTo(by == mode);
      assertThat(batch.changes().containsKey(ROUND)).isEqualTo(by == mode);
    }
  }

  @Test
  @DisplayName("given a new declaration, then the period counts from then")
  void declaredAnew() {
    ended(-1, true);
    declared(contract(Duration.ofSeconds(2), JanitorMode.HOSTED));
    assertThat(begins(1)).isFalse();
    assertThat(begins(2)).isTrue();
  }

  @Test
  @DisplayName("this server begins no round of a remote or missing janitor [C10]")
  void notHosted() {
    assertThat(begins(1_000)).isFalse();
    declared(contract(Duration.ofSeconds(2), JanitorMode.REMOTE));
    assertThat(begins(1_000)).isFalse();
    records.put(ID, Janitor.NONE);
    assertThat(begins(1_000)).isFalse();
    assertThat(records).containsOnlyKeys(ID);
  }
}
