package dev.hapax.domain.entity;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/** What a module is told that said what became of an action. */
public sealed interface CompleteRecoveryOutcome
    permits CompleteRecoveryOutcome.Recovered, ActionClaimLost {
  /**
   * The entity is where the module said.
   *
   * @param effect the run of the after-effect that was started
   * @param already the same call came before; the entity may have moved on
   */
  record Recovered(Entity entity, Optional<Run> effect, boolean already)
      implements CompleteRecoveryOutcome {}
}
