package dev.hapax.domain.lifecycle;

import dev.hapax.domain.json.DocumentReader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the rules that concern more than one value of a lifecycle. */
final class LifecycleRules {
  private final DocumentReader reader;
  private final Set<String> statuses;
  private final List<DraftStep> steps;
  private final Set<String> claimStates;
  private final Set<String> nonIdempotent;

  /** The combination by which BeginAction finds a step. */
  private record Begin(String key, String status) {}

  /** The first step that claims into a state, and the status to which it reverts. */
  private record First(DraftStep step, String revertTo) {}

  LifecycleRules(
      DocumentReader reader,
      List<String> statuses,
      List<DraftStep> steps,
      List<String> nonIdempotent) {
    this.reader = reader;
    this.statuses = Set.copyOf(statuses);
    this.steps = steps;
    this.nonIdempotent = Set.copyOf(nonIdempotent);
    this.claimStates =
        steps.stream()
            .flatMap(step -> step.claim().values())
            .map(ClaimStates::into)
            .collect(Collectors.toSet());
  }

  void check() {
    unique();
    for (var step : steps) {
      step.status()
          .filter(this::isUnknown)
          .ifPresent(status -> unknown(step, LifecycleReader.STATUS, Optional.empty(), status));
      step.to().entries().forEach(target -> target(step, target));
      step.claim().entries().forEach(claim -> claim(step, claim));
      nonIdempotent(step);
    }
    oneRevert();
  }

  /** A key may repeat with another status: the entity's status then selects the step. */
  private void unique() {
    var begins = new HashSet<Begin>();
    var ids = new HashSet<String>();
    for (var step : steps) {
      begin(step)
          .filter(begin -> !begins.add(begin))
          .ifPresent(
              begin ->
                  twice(
                      step,
                      LifecycleReader.STEP_KEY,
                      "step_key \"%s\" with the status \"%s\""
                          .formatted(begin.key(), begin.status())));
      step.id()
          .filter(id -> !ids.add(id))
          .ifPresent(id -> twice(step, LifecycleReader.STEP_ID, "step_id \"%s\"".formatted(id)));
    }
  }

  private static Optional<Begin> begin(DraftStep step) {
    return step.key().flatMap(key -> step.status().map(status -> new Begin(key, status)));
  }

  private void twice(DraftStep step, String field, String what) {
    report(
        step,
        LifecycleRule.TWICE,
        step.at(field, Optional.empty()),
        "another step has the %s too".formatted(what));
  }

  /** Without any statuses, another violation is reported already. */
  private boolean isUnknown(String status) {
    return !statuses.isEmpty() && !statuses.contains(status);
  }

  private void unknown(DraftStep step, String field, Optional<String> requester, String status) {
    report(
        step,
        LifecycleRule.STATUS,
        step.at(field, requester),
        "\"%s\" is not in status_types".formatted(status));
  }

  private void target(DraftStep step, PerRequester.Entry<String> target) {
    var status = target.value();
    if (isUnknown(status)) {
      unknown(step, LifecycleReader.TO, target.requester(), status);
    }
    // rule 5 covers its own claim state
    var isOwn = ownClaims(step, target.requester()).anyMatch(own -> own.into().equals(status));
    if (claimStates.contains(status) && !isOwn) {
      unclaimed(step, step.at(LifecycleReader.TO, target.requester()), status);
    }
  }

  private static Stream<ClaimStates> ownClaims(DraftStep step, Optional<String> requester) {
    return requester.map(name -> step.claim().of(name).stream()).orElseGet(step.claim()::values);
  }

  private void unclaimed(DraftStep step, String pointer, String status) {
    report(
        step,
        LifecycleRule.UNCLAIMED,
        pointer,
        "\"%s\" is a claim state, and this leads there without a claim".formatted(status));
  }

  private void claim(DraftStep step, PerRequester.Entry<ClaimStates> claim) {
    var into = claim.value().into();
    var revertTo = claim.value().revertTo();
    var pointer = step.at(step.claimField(), claim.requester());
    Stream.of(into, revertTo)
        .distinct()
        .filter(this::isUnknown)
        .forEach(
            status ->
                report(
                    step,
                    LifecycleRule.KNOWN,
                    pointer,
                    "\"%s\" of the claim state is not in status_types".formatted(status)));
    if (into.equals(revertTo)) {
      report(step, LifecycleRule.NO_OP, pointer, "it claims into the status it goes back to");
    }
    if (step.status().filter(into::equals).isPresent()) {
      report(step, LifecycleRule.FROM_STATUS, pointer, "it claims into the status of the step");
    }
    if (targets(step, claim.requester()).anyMatch(into::equals)) {
      report(step, LifecycleRule.TO_STATUS, pointer, "it claims into its successful_state");
    }
    if (claimStates.contains(revertTo) && !into.equals(revertTo)) {
      unclaimed(step, pointer, revertTo);
    }
  }

  /** Checks each requester that the step names, and all others. */
  private void nonIdempotent(DraftStep step) {
    var named = new TreeSet<String>();
    Stream.of(step.to(), step.claim(), step.action())
        .forEach(field -> named.addAll(field.named().keySet()));
    named.forEach(
        requester ->
            nonIdempotent(
                step,
                step.action().of(requester),
                step.to().of(requester).isPresent() && step.claim().of(requester).isEmpty(),
                Optional.of(requester)));
    nonIdempotent(
        step,
        step.action().all(),
        step.to().all().isPresent() && step.claim().all().isEmpty(),
        Optional.empty());
  }

  private void nonIdempotent(
      DraftStep step, Optional<String> action, boolean isUnclaimed, Optional<String> requester) {
    action
        .filter(nonIdempotent::contains)
        .filter(_ -> isUnclaimed)
        .ifPresent(
            name ->
                report(
                    step,
                    LifecycleRule.NON_IDEMPOTENT,
                    step.at(
                        LifecycleReader.ACTION,
                        requester.filter(step.action().named()::containsKey)),
                    "%s does \"%s\" without a claim, and it is one of non_idempotent_actions"
                        .formatted(
                            requester.map(each -> '"' + each + '"').orElse("any requester"),
                            name)));
  }

  private static Stream<String> targets(DraftStep step, Optional<String> requester) {
    return requester.map(name -> step.to().of(name).stream()).orElseGet(step.to()::values);
  }

  private void oneRevert() {
    Map<String, First> firsts = new HashMap<>();
    for (var step : steps) {
      step.claim()
          .entries()
          .forEach(
              claim -> {
                var states = claim.value();
                var first =
                    firsts.computeIfAbsent(states.into(), _ -> new First(step, states.revertTo()));
                if (!first.revertTo().equals(states.revertTo())) {
                  report(
                      step,
                      LifecycleRule.ONE_REVERT,
                      step.at(step.claimField(), claim.requester()),
                      "claim state \"%s\" goes back to \"%s\" here and to \"%s\" in step \"%s\""
                          .formatted(
                              states.into(),
                              states.revertTo(),
                              first.revertTo(),
                              first.step().label().orElse("?")));
                }
              });
    }
  }

  private void report(DraftStep step, LifecycleRule rule, String pointer, String message) {
    reader.found(step.label(), rule.code(), pointer, message, rule.advice());
  }
}
