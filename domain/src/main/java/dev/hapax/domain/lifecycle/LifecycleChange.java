package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A lifecycle and the version that it replaces.
 *
 * @param replaced empty = it is the first of its name
 */
record LifecycleChange(
    Workspace workspace, Lifecycle lifecycle, Optional<AppliedLifecycle> replaced) {
  private LifecycleId id() {
    return new LifecycleId(workspace, lifecycle.name());
  }

  JanitorId janitor() {
    return new JanitorId(workspace, lifecycle.module());
  }

  Optional<JanitorId> formerJanitor() {
    return replaced
        .map(before -> before.lifecycle().module())
        .filter(module -> !module.equals(lifecycle.module()))
        .map(module -> new JanitorId(workspace, module));
  }

  private LifecycleVersionId version() {
    return new LifecycleVersionId(id(), 1 + replaced.map(AppliedLifecycle::version).orElse(0L));
  }

  /** Whether the replaced version has the same lifecycle, so that nothing changes. */
  boolean isMade() {
    return replaced.filter(before -> before.lifecycle().equals(lifecycle)).isPresent();
  }

  /** The records that it reads or changes, whichever version it replaces. */
  Stream<RecordKey<?>> keys() {
    return Stream.concat(
        Stream.of(id(), janitor()),
        lifecycle.effects().stream().map(effect -> effect.definition(workspace)));
  }

  /** The further records, which the replaced version leads to. */
  Stream<RecordKey<?>> replacing() {
    return Stream.concat(Stream.of(version()), formerJanitor().stream());
  }

  /** The definitions that its after-effects name and that are not registered. */
  Stream<DefinitionId> undefined(BatchRecords records) {
    return lifecycle.effects().stream()
        .filter(effect -> lifecycle.terms(effect) instanceof EffectTerms.Registered)
        .map(effect -> effect.definition(workspace))
        .filter(definition -> records.get(definition).isEmpty());
  }

  /** The statuses that it removes and that this nonce has not retired. */
  Set<String> displaced(long nonce, Instant now) {
    return replaced
        .map(
            before -> {
              var displaced = lifecycle.displaced(before.lifecycle());
              return before.current(now).filter(is -> is.isFor(displaced, nonce)).isPresent()
                  ? Set.<String>of()
                  : displaced;
            })
        .orElse(Set.of());
  }

  /** Stores the lifecycle as the next version, with the definitions of its after-effects. */
  AppliedLifecycle store(BatchRecords records, Instant now, Attribution by) {
    lifecycle.effects().forEach(effect -> define(records, now, effect));
    var applied = new AppliedLifecycle(lifecycle, version().version(), now, by, Optional.empty());
    records.put(version(), lifecycle);
    records.put(id(), applied);
    return applied;
  }

  private void define(BatchRecords records, Instant now, Effect effect) {
    var id = effect.definition(workspace);
    if (lifecycle.terms(effect) instanceof EffectTerms.Queued terms && records.get(id).isEmpty()) {
      records.put(id, EffectDefinition.of(workspace, effect.name(), terms, now));
    }
  }
}
