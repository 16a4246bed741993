package dev.hapax.domain.lifecycle;

import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.json.Json;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statuses of entities of one kind, and the steps between them. {@link LifecycleReader} creates
 * only lifecycles that obey all rules.
 *
 * @param module that owns the entities, and whose janitor frees stuck ones
 * @param entity the kind of the entities, for display
 * @param statuses in the order of the document
 * @param terms of after-effects, by name; an absent one has the defaults
 * @param nonIdempotentActions actions that only a claimed step may have
 * @param annotations members without meaning to the server, by the JSON pointer of their object
 */
public record Lifecycle(
    String name,
    String module,
    String entity,
    List<String> statuses,
    List<LifecycleStep> steps,
    Map<String, EffectTerms> terms,
    List<String> nonIdempotentActions,
    Map<String, Json.Obj> annotations) {
  public static final int MAX_STATUSES = 1_000;
  public static final int MAX_STEPS = 1_000;
  public static final int MAX_ACTIONS = 1_000;

  public Lifecycle {
    statuses = List.copyOf(statuses);
    steps = List.copyOf(steps);
    terms = Map.copyOf(terms);
    nonIdempotentActions = List.copyOf(nonIdempotentActions);
    annotations = Map.copyOf(annotations);
  }

  /** A lifecycle with only the required parts. */
  public Lifecycle(
      String name, String module, String entity, List<String> statuses, List<LifecycleStep> steps) {
    this(name, module, entity, statuses, steps, Map.of(), List.of(), Map.of());
  }

  /** The transition of this step for this requester, if the step begins in this status. */
  public Optional<Transition> transition(String step, String requester, String status) {
    return steps(step)
        .filter(found -> found.status().equals(status))
        .findFirst()
        .flatMap(found -> found.transition(requester));
  }

  /** Whether this requester may take a step with this key, in any status. */
  public boolean allows(String step, String requester) {
    return steps(step).anyMatch(found -> found.transition(requester).isPresent());
  }

  private Stream<LifecycleStep> steps(String key) {
    return steps.stream().filter(step -> step.key().equals(key));
  }

  /** The statuses of entities during an exclusive action. */
  public Set<String> claimStates() {
    return Collections.unmodifiableSet(
        steps.stream()
            .flatMap(step -> step.claim().values())
            .map(ClaimStates::into)
            .collect(Collectors.toCollection(() -> new TreeSet<String>())));
  }

  /** The after-effects of its steps. */
  public Set<Effect> effects() {
    return steps.stream().flatMap(step -> step.effect().values()).collect(Collectors.toSet());
  }

  EffectTerms terms(Effect effect) {
    return terms.getOrDefault(effect.name(), EffectTerms.Queued.DEFAULT);
  }

  /** The claim states that the module's janitor has to cover. */
  public RequiredClaimStates requiredClaimStates() {
    return new RequiredClaimStates(name, module, claimStates());
  }

  /**
   * The statuses that must have no entities before this lifecycle replaces another: those that it
   * removes, and those that become or cease to be claim states. If the module changes, all claim
   * states must be empty, because another janitor takes over.
   */
  public Set<String> displaced(Lifecycle before) {
    var displaced = new TreeSet<>(before.statuses());
    displaced.removeAll(statuses);
    var claimedThen = before.claimStates();
    var claimedNow = claimStates();
    before.statuses().stream()
        .filter(status -> claimedThen.contains(status) != claimedNow.contains(status))
        .forEach(displaced::add);
    if (!before.module().equals(module)) {
      displaced.addAll(claimedThen);
    }
    return displaced;
  }
}
