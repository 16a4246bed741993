package dev.hapax.domain.entity;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.run.RunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The run that a success may start.
 *
 * @param run drawn for it
 * @param definition the one that it was found to follow, if that is not plain
 */
public record EffectRun(RunId run, Optional<DefinitionId> definition) {
  public static EffectRun drawn(RunId run) {
    return new EffectRun(run, Optional.empty());
  }

  /** The same, once it is known which definition it follows. */
  EffectRun following(DefinitionId found) {
    return new EffectRun(run, Optional.of(found));
  }

  /**
   * The records it touches.
   *
   * @param version of the entity behind the transition
   */
  List<RecordKey<?>> keys(EntityId entity, long version) {
    var keys = new ArrayList<RecordKey<?>>();
    keys.add(run);
    keys.add(AfterEffect.key(entity, version));
    definition.ifPresent(keys::add);
    return keys;
  }

  /** The definition that has to be named before this move can succeed. */
  Optional<DefinitionId> missing(Transition move) {
    return move.effect()
        .filter(effect -> !effect.isPlain())
        .map(effect -> effect.definition(run.workspace()))
        .filter(needed -> !definition.equals(Optional.of(needed)));
  }
}
