package dev.hapax.domain.entity;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/** The outcome of {@link ReleaseClaim}. */
public sealed interface ReleaseClaimOutcome {
  /**
   * The entity is free.
   *
   * @param effect the run of the after-effect that was started
   * @param already released by an earlier call with the same request id; the entity may have been
   *     claimed since
   */
  record Released(Entity entity, Optional<Run> effect, boolean already)
      implements ReleaseClaimOutcome {}

  record NotFound() implements ReleaseClaimOutcome {}

  /** The entity was not held; nothing changed. */
  record NotClaimed(Entity entity) implements ReleaseClaimOutcome {}

  /** The entity's version is not the expected one; nothing changed. */
  record Moved(Entity entity) implements ReleaseClaimOutcome {}
}
