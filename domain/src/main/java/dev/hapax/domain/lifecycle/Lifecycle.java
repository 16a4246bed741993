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
 * The statuses of entities of one kind and the steps between them. {@link LifecycleReader} makes
 * it, and makes none that breaks a rule.
 *
 * @param module who owns the entities, and frees them when they are stuck
 * @param entity what they are, for people
 * @param statuses in the order in which they were written
 * @param terms of after-effects, by name; one that is not among them has the defaults
 * @param nonIdempotentActions which only a claimed step may have
 * @param annotations what is kept and says nothing, by the JSON pointer of the object it is in
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

  /** One that has nothing but these. */
  public Lifecycle(
      String name, String module, String entity, List<String> statuses, List<LifecycleStep> steps) {
    this(name, module, entity, statuses, steps, Map.of(), List.of(), Map.of());
  }

  /** The step of this key that begins in this status, as this requester takes it. */
  public Optional<Transition> move(String step, String requester, String status) {
    return steps(step)
        .filter(found -> found.status().equals(status))
        .findFirst()
        .flatMap(found -> found.move(requester));
  }

  /** Whether this requester may take a step of this key, in whichever status. */
  public boolean allows(String step, String requester) {
    return steps(step).anyMatch(found -> found.move(requester).isPresent());
  }

  private Stream<LifecycleStep> steps(String key) {
    return steps.stream().filter(step -> step.key().equals(key));
  }

  /** The statuses that entities are in while somebody acts on them. */
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

  /** What the module's janitor has to cover. */
  public RequiredClaimStates demand() {
    return new RequiredClaimStates(name, module, claimStates());
  }

  /**
   * The statuses in which no entity may be when this lifecycle takes the place of another: those it
   * does not have, and those that were claimed and are not any more, or the reverse. Where another
   * module is to free what is stuck, nothing may be claimed.
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
