package dev.hapax.domain.lifecycle;

import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.DocumentReader;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds what is allowed in a lifecycle but probably a mistake. */
final class LifecycleWarnings {
  private final DocumentReader reader;
  private final Lifecycle lifecycle;
  private final List<DraftStep> steps;
  private final Set<String> claimStates;

  LifecycleWarnings(DocumentReader reader, Lifecycle lifecycle, List<DraftStep> steps) {
    this.reader = reader;
    this.lifecycle = lifecycle;
    this.steps = steps;
    this.claimStates = lifecycle.claimStates();
  }

  void check() {
    steps.forEach(this::requesters);
    unused();
    steps.stream()
        .filter(step -> step.status().filter(claimStates::contains).isPresent())
        .forEach(this::neverBegins);
    var successors = successors();
    var reached = reached(successors);
    for (var i = 0; i < lifecycle.statuses().size(); i++) {
      var status = lifecycle.statuses().get(i);
      var pointer = Document.pointer(Document.pointer("", LifecycleReader.STATUSES), "" + i);
      if (!reached.contains(status)) {
        warn(
            Optional.empty(),
            LifecycleRule.UNREACHABLE,
            pointer,
            "no steps lead from \"%s\" to \"%s\""
                .formatted(lifecycle.statuses().getFirst(), status));
      }
      if (!successors.containsKey(status)) {
        warn(
            Optional.empty(),
            LifecycleRule.DEAD_END,
            pointer,
            "no step leads out of \"%s\"".formatted(status));
      }
    }
  }

  /** Warns of names that no step uses, which are probably misspelt. */
  private void unused() {
    var effects =
        steps.stream().flatMap(step -> step.effect().values()).collect(Collectors.toSet());
    var pointer = Document.pointer("", EffectReader.EFFECTS);
    lifecycle.terms().keySet().stream()
        .sorted()
        .filter(name -> !effects.contains(name))
        .forEach(name -> unused(Document.pointer(pointer, name), "after-effect", name));
    var actions =
        steps.stream().flatMap(step -> step.action().values()).collect(Collectors.toSet());
    var listed = lifecycle.nonIdempotentActions();
    var list = Document.pointer("", LifecycleReader.NON_IDEMPOTENT);
    for (var i = 0; i < listed.size(); i++) {
      if (!actions.contains(listed.get(i))) {
        unused(Document.pointer(list, "" + i), "action", listed.get(i));
      }
    }
  }

  private void unused(String pointer, String what, String name) {
    warn(
        Optional.empty(),
        LifecycleRule.UNUSED,
        pointer,
        "no step has the %s \"%s\"".formatted(what, name));
  }

  private void requesters(DraftStep step) {
    step.claim()
        .entries()
        .filter(claim -> isWithoutAction(step, claim.requester()))
        .forEach(
            claim ->
                warn(
                    step.label(),
                    LifecycleRule.CLAIM_WITHOUT_ACTION,
                    step.at(step.claimField(), claim.requester()),
                    claim
                        .requester()
                        .map(name -> "\"%s\" claims and has no action".formatted(name))
                        .orElse("not all who claim have an action")));
    var named = new TreeSet<String>();
    Stream.of(step.claim(), step.action(), step.effect())
        .forEach(field -> named.addAll(field.named().keySet()));
    named.stream()
        .filter(requester -> step.to().of(requester).isEmpty())
        .forEach(
            requester ->
                warn(
                    step.label(),
                    LifecycleRule.NOT_ALLOWED,
                    step.pointer(),
                    "\"%s\" has no successful_state".formatted(requester)));
  }

  /** Whether a requester claims the step but has no action for it. */
  private static boolean isWithoutAction(DraftStep step, Optional<String> requester) {
    return requester.isPresent()
        ? step.action().of(requester.get()).isEmpty()
        : step.action().all().isEmpty()
            && (step.to().all().isPresent()
                || step.to().named().keySet().stream()
                    .filter(name -> !step.claim().named().containsKey(name))
                    .anyMatch(name -> step.action().of(name).isEmpty()));
  }

  private void neverBegins(DraftStep step) {
    warn(
        step.label(),
        LifecycleRule.FROM_CLAIM,
        step.at(LifecycleReader.STATUS, Optional.empty()),
        "\"%s\" is a claim state, in which nothing else can begin"
            .formatted(step.status().orElseThrow()));
  }

  /** The statuses that are reachable in one step from each status. */
  private Map<String, Set<String>> successors() {
    var successors = new HashMap<String, Set<String>>();
    for (var step : lifecycle.steps()) {
      if (claimStates.contains(step.status())) {
        continue;
      }
      step.to().values().forEach(target -> add(successors, step.status(), target));
      step.claim()
          .values()
          .forEach(
              claim -> {
                add(successors, step.status(), claim.into());
                add(successors, claim.into(), claim.revertTo());
              });
    }
    return successors;
  }

  private static void add(Map<String, Set<String>> successors, String from, String to) {
    successors.computeIfAbsent(from, _ -> new HashSet<>()).add(to);
  }

  /** The statuses that are reachable from the first one, in which most entities begin. */
  private Set<String> reached(Map<String, Set<String>> successors) {
    var reached = new HashSet<String>();
    var pending = new ArrayDeque<>(lifecycle.statuses().stream().limit(1).toList());
    while (!pending.isEmpty()) {
      var status = pending.remove();
      if (reached.add(status)) {
        pending.addAll(successors.getOrDefault(status, Set.of()));
      }
    }
    return reached;
  }

  private void warn(Optional<String> step, LifecycleRule rule, String pointer, String message) {
    reader.found(step, rule.code(), pointer, message, rule.advice());
  }
}
