package dev.hapax.application.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.lifecycle.Lifecycle;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecyclePlanTest {
  private static final JanitorTiming SLOW =
      JanitorTiming.of(Duration.ofHours(1), Duration.ofMinutes(9));

  private static JanitorContract contract(
      JanitorTiming timing, JanitorMode mode, String... states) {
    return new JanitorContract("billing", Set.of(states), timing, mode);
  }

  private static LifecyclePlan plan(JanitorContract old, String... demanded) {
    var demand = new RequiredClaimStates("billing", "billing", Set.of(demanded));
    var janitor =
        new Janitor(Optional.of(old), Instant.EPOCH, Map.of("billing", demand), Attribution.SERVER);
    return new LifecyclePlan("shop", List.of(), List.of(), Map.of("billing", janitor));
  }

  @Test
  @DisplayName("until the lifecycles are changed the old contract holds, with the new claim states")
  void meanwhile() {
    var old = contract(SLOW, JanitorMode.REMOTE, "closing", "paying");
    var next = contract(JanitorTiming.DEFAULT, JanitorMode.HOSTED, "being closed");
    assertThat(plan(old, "closing").interimContract(next))
        .contains(contract(SLOW, JanitorMode.REMOTE, "closing", "paying", "being closed"));
  }

  @Test
  @DisplayName(
      "an old contract for all claim states holds as it is; a new one takes effect at once")
  void all() {
    var all =
        new JanitorContract("billing", new ClaimStateCoverage.All(), SLOW, JanitorMode.REMOTE);
    var named = contract(JanitorTiming.DEFAULT, JanitorMode.HOSTED, "paying");
    assertThat(plan(all, "closing").interimContract(named)).contains(all);
    assertThat(plan(named, "paying").interimContract(all)).isEmpty();
    assertThat(plan(all, "closing").problems()).isEmpty();
  }

  @Test
  @DisplayName(
      "given a contract with too many claim states together with the old one, then it is rejected")
  void tooMany() {
    var states = IntStream.range(0, 1_000).mapToObj(i -> "s" + i).toArray(String[]::new);
    var old = contract(SLOW, JanitorMode.HOSTED, states);
    var janitor =
        new LifecycleDeclaration.OfJanitor("j.json", contract(SLOW, JanitorMode.HOSTED, "new"));
    var lifecycle = new Lifecycle("billing", "billing", "billing", List.of("a"), List.of());
    var change = new LifecycleDeclaration.OfLifecycle("l.json", lifecycle, "");
    var plan =
        new LifecyclePlan("shop", List.of(change), List.of(janitor), plan(old, "s1").stored());
    assertThat(plan.problems())
        .containsExactly(
            "j.json: janitor \"billing\" and its previous contract cover more than 1000 claim states"
                + " together. Change the janitor in two steps.");
  }

  @Test
  @DisplayName("given a claim state that no lifecycle requires, then it is removed immediately")
  void atOnce() {
    var old = contract(SLOW, JanitorMode.REMOTE, "closing", "paying");
    var next = contract(JanitorTiming.DEFAULT, JanitorMode.HOSTED, "closing");
    assertThat(plan(old, "closing").interimContract(next)).isEmpty();
  }

  @Test
  @DisplayName(
      "given a stored claim state without a janitor, then the problem names its "
          + "workspace [C5]")
  void problems() {
    assertThat(plan(contract(SLOW, JanitorMode.HOSTED, "closing"), "closing").problems()).isEmpty();
    assertThat(plan(contract(SLOW, JanitorMode.HOSTED, "closing"), "paying").problems())
        .singleElement()
        .asString()
        .startsWith(
            "workspace \"shop\", lifecycle \"billing\": nothing frees claim state \"paying\"");
  }
}
