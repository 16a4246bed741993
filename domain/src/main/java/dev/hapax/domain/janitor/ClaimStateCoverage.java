package dev.hapax.domain.janitor;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** Which claim states of the lifecycles of a module a janitor covers. */
public sealed interface ClaimStateCoverage {
  boolean covers(String claimState);

  /** Every one, also of lifecycles to come. */
  record All() implements ClaimStateCoverage {
    @Override
    public boolean covers(String claimState) {
      return true;
    }
  }

  /** Those with these names; perhaps none. */
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
