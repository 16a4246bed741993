package dev.hapax.application.janitor;

import dev.hapax.domain.entity.BeginRecoveryOutcome;
import java.util.List;

/** The outcome of a module's poll for recoveries. */
public sealed interface PollOutcome {
  /** The granted recoveries; empty if no entity was stuck before the wait ended. */
  record Recoveries(List<BeginRecoveryOutcome.Claimed> claimed) implements PollOutcome {
    public Recoveries {
      claimed = List.copyOf(claimed);
    }
  }

  /** The janitor is hosted by this server, so there are never recoveries to poll. */
  record NotRemote() implements PollOutcome {}

  /** The module has no contract. */
  record NotFound() implements PollOutcome {}
}
