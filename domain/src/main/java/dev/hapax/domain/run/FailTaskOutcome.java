package dev.hapax.domain.run;

import java.time.Instant;
import java.util.Optional;

/** The outcome of {@link FailTask}. */
public sealed interface FailTaskOutcome permits FailTaskOutcome.Failed, PartsRefused, TaskLost {
  /**
   * The attempt has failed; the run continues, or has failed too.
   *
   * @param retryAt the time of the next attempt, if there is one
   * @param already the same claim had failed the attempt before
   */
  record Failed(Run run, Optional<Instant> retryAt, boolean already) implements FailTaskOutcome {}
}
