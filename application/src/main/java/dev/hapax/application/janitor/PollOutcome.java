package dev.hapax.application.janitor;

import dev.hapax.domain.entity.ClaimRecoveryOutcome;
import java.util.List;

/** What a module that polls is told. */
public sealed interface PollOutcome {
  /** What it has to look into; nothing if nothing was stuck until the wait ended. */
  record Recoveries(List<ClaimRecoveryOutcome.Claimed> claimed) implements PollOutcome {
    public Recoveries {
      claimed = List.copyOf(claimed);
    }
  }

  /** This server looks for it: there will never be anything. */
  record NotRemote() implements PollOutcome {}

  /** There is no such contract. */
  record NotFound() implements PollOutcome {}
}
