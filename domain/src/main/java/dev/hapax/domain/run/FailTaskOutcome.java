package dev.hapax.domain.run;

import java.time.Instant;
import java.util.Optional;

/** What became of a failure. */
public sealed interface FailTaskOutcome permits FailTaskOutcome.Failed, TaskLost {
  /**
   * The attempt has ended; the run goes on, or has failed too.
   *
   * @param retryAt when there is another attempt, if there is
   * @param already the same claim had done so before
   */
  record Failed(Run run, Optional<Instant> retryAt, boolean already) implements FailTaskOutcome {}
}
