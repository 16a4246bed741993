package dev.hapax.domain.entity;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/** What a Complete is told. */
public sealed interface CompleteActionOutcome
    permits CompleteActionOutcome.Completed, CompleteActionOutcome.Changing, ActionClaimLost {
  /**
   * The entity is where success leads.
   *
   * @param effect the run of the after-effect that was started
   * @param already the same call came before; the entity may have moved on
   */
  record Completed(Entity entity, Optional<Run> effect, boolean already)
      implements CompleteActionOutcome {}

  /**
   * The lifecycle is being changed; soon it is known whether it keeps the statuses of this step.
   */
  record Changing() implements CompleteActionOutcome {}
}
