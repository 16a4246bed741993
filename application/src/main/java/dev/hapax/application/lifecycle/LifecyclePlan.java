package dev.hapax.application.lifecycle;

import static dev.hapax.domain.janitor.JanitorContract.MAX_CLAIM_STATES;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.janitor.UncoveredState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The planned changes of a workspace, which are checked before any of them is made.
 *
 * @param stored current janitors by module
 */
public record LifecyclePlan(
    String workspace,
    List<LifecycleDeclaration.OfLifecycle> lifecycles,
    List<LifecycleDeclaration.OfJanitor> janitors,
    Map<String, Janitor> stored) {
  public LifecyclePlan {
    lifecycles = List.copyOf(lifecycles);
    janitors = List.copyOf(janitors);
    stored = Map.copyOf(stored);
  }

  /** Returns uncovered claim states, and contracts that cannot change in one step. */
  public List<String> problems() {
    return Stream.concat(
            UncoveredState.of(demands(), contracts()).stream().map(this::problem),
            janitors.stream().filter(this::coversTooMany).map(LifecyclePlan::tooManyStates))
        .toList();
  }

  private boolean coversTooMany(LifecycleDeclaration.OfJanitor declared) {
    var next = declared.contract();
    return old(next)
        .filter(old -> !old.coversAll() && both(old, next).size() > MAX_CLAIM_STATES)
        .isPresent();
  }

  private static String tooManyStates(LifecycleDeclaration.OfJanitor declared) {
    return String.format(
        Locale.ROOT,
        "%s: %s and its previous contract cover more than %d claim states together. Change the janitor in two steps.",
        declared.source(),
        declared.title(),
        MAX_CLAIM_STATES);
  }

  private List<JanitorContract> contracts() {
    var contracts = new HashMap<String, JanitorContract>();
    stored.forEach(
        (module, janitor) ->
            janitor.contract().ifPresent(contract -> contracts.put(module, contract)));
    janitors.stream()
        .map(LifecycleDeclaration.OfJanitor::contract)
        .forEach(contract -> contracts.put(contract.module(), contract));
    return List.copyOf(contracts.values());
  }

  private List<RequiredClaimStates> demands() {
    var demands = new ArrayList<RequiredClaimStates>();
    var changed =
        lifecycles.stream()
            .map(declared -> declared.lifecycle().name())
            .collect(Collectors.toSet());
    stored.values().stream()
        .flatMap(janitor -> janitor.demands().values().stream())
        .filter(demand -> !changed.contains(demand.lifecycle()))
        .forEach(demands::add);
    lifecycles.stream()
        .map(declared -> declared.lifecycle().requiredClaimStates())
        .forEach(demands::add);
    return demands;
  }

  private String problem(UncoveredState missing) {
    return lifecycles.stream()
        .filter(declared -> declared.lifecycle().name().equals(missing.lifecycle()))
        .findFirst()
        .map(
            declared ->
                "%s: %s. Another file with {\"janitor\": \"%s\", \"claim_states\": [\"%s\"]} would cover it."
                    .formatted(
                        declared.source(), missing.text(), missing.module(), missing.claimState()))
        .or(() -> uncovering(missing))
        .orElseGet(() -> "workspace \"%s\", %s".formatted(workspace, missing.text()));
  }

  private Optional<String> uncovering(UncoveredState missing) {
    return janitors.stream()
        .filter(declared -> declared.contract().module().equals(missing.module()))
        .findFirst()
        .map(
            declared ->
                "%s: %s would no longer cover claim state \"%s\", which lifecycle \"%s\" requires. Keep it, or change the lifecycle first."
                    .formatted(
                        declared.source(),
                        declared.title(),
                        missing.claimState(),
                        missing.lifecycle()));
  }

  /**
   * Returns the contract to use until the lifecycles are changed: the old one with the claim states
   * of both. Empty if the new contract covers everything that is required from the old one.
   */
  Optional<JanitorContract> interimContract(JanitorContract next) {
    return old(next)
        .map(
            old ->
                old.coversAll()
                    ? old
                    : new JanitorContract(old.module(), both(old, next), old.timing(), old.mode()));
  }

  private static Set<String> both(JanitorContract old, JanitorContract next) {
    var states = new TreeSet<>(old.claimStates());
    states.addAll(next.claimStates());
    return states;
  }

  /** Returns the old contract if it is required for claim states that the next one lacks. */
  private Optional<JanitorContract> old(JanitorContract next) {
    return Optional.ofNullable(stored.get(next.module()))
        .filter(janitor -> !UncoveredState.of(janitor.demands().values(), List.of(next)).isEmpty())
        .flatMap(Janitor::contract);
  }
}
