package dev.hapax.bootstrap.startup.lifecycle;

import static dev.hapax.domain.janitor.JanitorContract.MAX_CLAIM_STATES;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.janitor.UncoveredState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the files of a workspace would make of what is stored there, judged before anything changes.
 *
 * @param stored by module
 */
public record LifecyclePlan(String workspace, LifecycleFiles files, Map<String, Janitor> stored) {
  public LifecyclePlan {
    stored = Map.copyOf(stored);
  }

  /** Each claim state that nothing would free, and each contract that cannot change at once. */
  public List<String> problems() {
    return Stream.concat(
            UncoveredState.of(demands(), contracts()).stream().map(this::problem),
            files.janitors().filter(this::isTooMuch).map(LifecyclePlan::tooMuch))
        .toList();
  }

  private boolean isTooMuch(LifecycleFile.OfJanitor file) {
    var next = file.contract();
    return old(next)
        .filter(old -> !old.coversAll() && both(old, next).size() > MAX_CLAIM_STATES)
        .isPresent();
  }

  private static String tooMuch(LifecycleFile.OfJanitor file) {
    return "%s: %s and the one it had have more than %d claim states together. Change it in two steps."
        .formatted(file.path(), file.title(), MAX_CLAIM_STATES);
  }

  private List<JanitorContract> contracts() {
    var contracts = new HashMap<String, JanitorContract>();
    stored.forEach(
        (module, janitor) ->
            janitor.contract().ifPresent(contract -> contracts.put(module, contract)));
    files
        .janitors()
        .map(LifecycleFile.OfJanitor::contract)
        .forEach(contract -> contracts.put(contract.module(), contract));
    return List.copyOf(contracts.values());
  }

  private List<RequiredClaimStates> demands() {
    var demands = new ArrayList<RequiredClaimStates>();
    var changed =
        files.lifecycles().map(file -> file.lifecycle().name()).collect(Collectors.toSet());
    stored.values().stream()
        .flatMap(janitor -> janitor.demands().values().stream())
        .filter(demand -> !changed.contains(demand.lifecycle()))
        .forEach(demands::add);
    files.lifecycles().map(file -> file.lifecycle().requiredClaimStates()).forEach(demands::add);
    return demands;
  }

  private String problem(UncoveredState missing) {
    return files
        .lifecycles()
        .filter(file -> file.lifecycle().name().equals(missing.lifecycle()))
        .findFirst()
        .map(
            file ->
                "%s: %s. Another file with {\"janitor\": \"%s\", \"claim_states\": [\"%s\"]} would do."
                    .formatted(file.path(), missing.text(), missing.module(), missing.claimState()))
        .or(() -> uncovering(missing))
        .orElseGet(() -> "workspace \"%s\", %s".formatted(workspace, missing.text()));
  }

  private Optional<String> uncovering(UncoveredState missing) {
    return files
        .janitors()
        .filter(file -> file.contract().module().equals(missing.module()))
        .findFirst()
        .map(
            file ->
                "%s: %s would no longer cover claim state \"%s\", which lifecycle \"%s\" relies on. Keep it, or change the lifecycle first."
                    .formatted(
                        file.path(), file.title(), missing.claimState(), missing.lifecycle()));
  }

  /**
   * The contract that holds until the lifecycles are changed: the old one, with the claim states of
   * the new one too. Empty = the old one covers nothing that the new one does not, or that counts;
   * so a new one that covers all takes effect at once.
   */
  Optional<JanitorContract> meanwhile(JanitorContract next) {
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

  /** The contract before, where it is still relied on for what the next one does not cover. */
  private Optional<JanitorContract> old(JanitorContract next) {
    return Optional.ofNullable(stored.get(next.module()))
        .filter(janitor -> !UncoveredState.of(janitor.demands().values(), List.of(next)).isEmpty())
        .flatMap(Janitor::contract);
  }
}
