package dev.hapax.domain.janitor;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** The claim states of a module's lifecycles that a janitor covers. */
public sealed interface ClaimStateCoverage {
  boolean covers(String claimState);

  /** All claim states, also of future lifecycles. */
  record All() implements ClaimStateCoverage {
    @Override
    public boolean covers(String claimState) {
      return true;
    }
  }

  /** The claim states with these names; may be none. */
  record Named(Set<String> claimStates) implements ClaimStateCoverage {
    public Named {
      claimStates =
          Collections.unmodifiableSet(
              new TreeSet<>(JanitorContract.requireClaimStates(claimStates)));
    }

    @Override
    public boolean covers(String claimState) {
      return claimStates.contains(claimState);
    }
  }
}
