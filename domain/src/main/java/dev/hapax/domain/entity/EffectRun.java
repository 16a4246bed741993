package dev.hapax.domain.entity;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.run.RunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The run of an after-effect that a transition may start.
 *
 * @param run its random id
 * @param definition that it follows; empty = unknown yet, or a plain effect
 */
public record EffectRun(RunId run, Optional<DefinitionId> definition) {
  public static EffectRun drawn(RunId run) {
    return new EffectRun(run, Optional.empty());
  }

  /** Returns the run with its definition. */
  EffectRun following(DefinitionId found) {
    return new EffectRun(run, Optional.of(found));
  }

  /**
   * The keys of the records that the start changes.
   *
   * @param version of the entity after the transition
   */
  List<RecordKey<?>> keys(EntityId entity, long version) {
    var keys = new ArrayList<RecordKey<?>>();
    keys.add(run);
    keys.add(AfterEffect.key(entity, version));
    definition.ifPresent(keys::add);
    return keys;
  }

  /** The definition that this transition needs and the run does not have. */
  Optional<DefinitionId> missing(Transition transition) {
    return transition
        .effect()
        .filter(effect -> !effect.isPlain())
        .map(effect -> effect.definition(run.workspace()))
        .filter(needed -> !definition.equals(Optional.of(needed)));
  }
}
