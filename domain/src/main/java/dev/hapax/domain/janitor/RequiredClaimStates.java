package dev.hapax.domain.janitor;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** The claim states of a lifecycle, which its module has to have a janitor for. */
public record RequiredClaimStates(String lifecycle, String module, Set<String> claimStates) {
  public RequiredClaimStates {
    claimStates = Collections.unmodifiableSet(new TreeSet<>(claimStates));
  }
}
