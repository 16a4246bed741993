package dev.hapax.domain.janitor;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** A claim state that no janitor covers. */
public record UncoveredState(String lifecycle, String claimState, String module) {
  private static final Comparator<UncoveredState> ORDER =
      Comparator.comparing(UncoveredState::lifecycle).thenComparing(UncoveredState::claimState);

  /** The message for the author of the janitor. */
  public String text() {
    return "lifecycle \"%s\": nothing frees claim state \"%s\"; the janitor of module \"%s\" is missing or does not cover it"
        .formatted(lifecycle, claimState, module);
  }

  /** The required claim states that these contracts do not cover. */
  public static List<UncoveredState> of(
      Collection<RequiredClaimStates> demands, Collection<JanitorContract> contracts) {
    return demands.stream()
        .flatMap(
            demand ->
                demand.claimStates().stream()
                    .filter(state -> !isCovered(demand.module(), state, contracts))
                    .map(state -> new UncoveredState(demand.lifecycle(), state, demand.module())))
        .sorted(ORDER)
        .toList();
  }

  private static boolean isCovered(
      String module, String state, Collection<JanitorContract> contracts) {
    return contracts.stream()
        .anyMatch(contract -> contract.module().equals(module) && contract.covers(state));
  }
}
