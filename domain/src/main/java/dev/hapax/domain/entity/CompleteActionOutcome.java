package dev.hapax.domain.entity;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/** The outcome of {@link CompleteAction}. */
public sealed interface CompleteActionOutcome
    permits CompleteActionOutcome.Completed, CompleteActionOutcome.Changing, ActionClaimLost {
  /**
   * The entity has reached the status after success.
   *
   * @param effect the run of the after-effect that was started
   * @param already completed by an earlier call with the same claim; the entity may have changed
   *     since
   */
  record Completed(Entity entity, Optional<Run> effect, boolean already)
      implements CompleteActionOutcome {}

  /**
   * A change of the lifecycle is in progress, which may remove statuses of this step; retry later.
   */
  record Changing() implements CompleteActionOutcome {}
}
