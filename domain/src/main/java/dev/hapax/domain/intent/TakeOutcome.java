package dev.hapax.domain.intent;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.run.Run;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The outcome of {@link TakeIntent}. */
public sealed interface TakeOutcome {
  /**
   * The intent was taken.
   *
   * @param changed the runs that it changed, as they are now
   */
  record Taken(IntentOutcome outcome, List<Run> changed) implements TakeOutcome {
    public Taken {
      changed = List.copyOf(changed);
    }
  }

  /** It was taken before, or never committed. */
  record Gone() implements TakeOutcome {}

  /** It stays until this time, because the inbox of its run is full. */
  record Deferred(Instant until) implements TakeOutcome {}

  /**
   * It stays: the definition in the command is not the latest version.
   *
   * @param latest the latest version; empty = no version of this name exists
   */
  record Outdated(Optional<DefinitionId> latest) implements TakeOutcome {}
}
