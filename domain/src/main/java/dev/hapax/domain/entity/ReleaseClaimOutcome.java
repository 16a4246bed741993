package dev.hapax.domain.entity;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/** What became of a release. */
public sealed interface ReleaseClaimOutcome {
  /**
   * The entity is free.
   *
   * @param effect the run of the after-effect that was started
   * @param already the same call came before; the entity may have been claimed since
   */
  record Released(Entity entity, Optional<Run> effect, boolean already)
      implements ReleaseClaimOutcome {}

  record NotFound() implements ReleaseClaimOutcome {}

  /** Nobody had it. */
  record NotClaimed(Entity entity) implements ReleaseClaimOutcome {}

  /** The entity is not at the version that was expected; nothing changed. */
  record Moved(Entity entity) implements ReleaseClaimOutcome {}
}
