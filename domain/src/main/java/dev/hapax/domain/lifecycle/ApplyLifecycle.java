package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Applies a lifecycle: entities follow it from now on.
 *
 * @param likely the version that it probably replaces: its records are locked in the first
 *     decision, which saves a second one
 * @param nonce random, for this change; if it removes statuses, their {@link Retirement} has the
 *     same
 */
public record ApplyLifecycle(
    Workspace workspace,
    Lifecycle lifecycle,
    Optional<AppliedLifecycle> likely,
    long nonce,
    Attribution by)
    implements Command<ApplyLifecycleOutcome> {
  private static final int SIZE = 1024;

  /** Returns the command with this version as the one to replace. */
  public ApplyLifecycle expecting(AppliedLifecycle found) {
    return new ApplyLifecycle(workspace, lifecycle, Optional.of(found), nonce, by);
  }

  public LifecycleId id() {
    return new LifecycleId(workspace, lifecycle.name());
  }

  private JanitorId janitor() {
    return new JanitorId(workspace, lifecycle.module());
  }

  private Optional<JanitorId> formerJanitor(Optional<AppliedLifecycle> replaced) {
    return replaced
        .map(before -> before.lifecycle().module())
        .filter(module -> !module.equals(lifecycle.module()))
        .map(module -> new JanitorId(workspace, module));
  }

  private LifecycleVersionId version(Optional<AppliedLifecycle> replaced) {
    return new LifecycleVersionId(id(), 1 + replaced.map(AppliedLifecycle::version).orElse(0L));
  }

  /** The further changes when it is applied in place of another one. */
  private List<RecordKey<?>> replacing(Optional<AppliedLifecycle> replaced) {
    return Stream.<RecordKey<?>>concat(
            Stream.of(version(replaced)), formerJanitor(replaced).stream())
        .toList();
  }

  private Stream<DefinitionId> effects() {
    return lifecycle.effects().stream().map(effect -> effect.definition(workspace));
  }

  private Stream<DefinitionId> undefined(BatchRecords records) {
    return lifecycle.effects().stream()
        .filter(effect -> lifecycle.terms(effect) instanceof EffectTerms.Registered)
        .map(effect -> effect.definition(workspace))
        .filter(definition -> records.get(definition).isEmpty());
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.of(Stream.of(id(), janitor()), replacing(likely).stream(), effects())
        .<RecordKey<?>>flatMap(keys -> keys)
        .toList();
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return SIZE * (1 + lifecycle.steps().size())
        + lifecycle.annotations().values().stream().mapToInt(Json::size).sum();
  }

  @Override
  public ApplyLifecycleOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(id());
    if (found.filter(is -> is.lifecycle().equals(lifecycle)).isPresent()) {
      return new ApplyLifecycleOutcome.Applied(found.get(), true);
    }
    records.lock(replacing(found));
    var before = records.get(janitor()).orElse(Janitor.NONE);
    var janitor = before.withRequired(lifecycle.requiredClaimStates());
    var uncovered =
        janitor.uncovered().stream()
            .filter(missing -> missing.lifecycle().equals(lifecycle.name()))
            .toList();
    if (!uncovered.isEmpty()) {
      return new ApplyLifecycleOutcome.Uncovered(uncovered);
    }
    var undefined = undefined(records).findFirst();
    if (undefined.isPresent()) {
      return new ApplyLifecycleOutcome.Undefined(undefined.get());
    }
    var displaced = found.map(is -> lifecycle.displaced(is.lifecycle()));
    if (displaced.filter(statuses -> !statuses.isEmpty()).isPresent()
        && found.get().current(now).filter(r -> r.isFor(displaced.get(), nonce)).isEmpty()) {
      return new ApplyLifecycleOutcome.RetireFirst(displaced.get());
    }
    // a lifecycle without claim states needs no janitor record
    if (!janitor.equals(before)) {
      records.put(janitor(), janitor);
    }
    return apply(records, now, found);
  }

  private ApplyLifecycleOutcome apply(
      BatchRecords records, Instant now, Optional<AppliedLifecycle> replaced) {
    formerJanitor(replaced)
        .ifPresent(
            former ->
                records
                    .get(former)
                    .ifPresent(
                        janitor -> records.put(former, janitor.withoutRequired(lifecycle.name()))));
    lifecycle.effects().forEach(effect -> define(records, now, effect));
    var version = version(replaced);
    var applied = new AppliedLifecycle(lifecycle, version.version(), now, by, Optional.empty());
    records.put(version, lifecycle);
    records.put(id(), applied);
    return new ApplyLifecycleOutcome.Applied(applied, false);
  }

  private void define(BatchRecords records, Instant now, Effect effect) {
    var id = effect.definition(workspace);
    if (lifecycle.terms(effect) instanceof EffectTerms.Queued terms && records.get(id).isEmpty()) {
      records.put(id, EffectDefinition.of(workspace, effect.name(), terms, now));
    }
  }
}
