package dev.hapax.domain.entity;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/** The outcome of {@link CompleteRecovery}. */
public sealed interface CompleteRecoveryOutcome
    permits CompleteRecoveryOutcome.Recovered, ActionClaimLost {
  /**
   * The entity has the status of the verdict.
   *
   * @param effect the run of the after-effect that was started
   * @param already recovered by an earlier call with the same claim; the entity may have changed
   *     since
   */
  record Recovered(Entity entity, Optional<Run> effect, boolean already)
      implements CompleteRecoveryOutcome {}
}
