package dev.hapax.domain.janitor;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** The claim states of a lifecycle that the janitor of its module has to cover. */
public record RequiredClaimStates(String lifecycle, String module, Set<String> claimStates) {
  public RequiredClaimStates {
    claimStates = Collections.unmodifiableSet(new TreeSet<>(claimStates));
  }
}
