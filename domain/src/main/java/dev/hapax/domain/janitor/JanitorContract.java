package dev.hapax.domain.janitor;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

/**
 * The contract of a janitor: which claim states it frees, how often, and in which mode.
 *
 * @param coverage the claim states that it frees, across all lifecycles of the module
 */
public record JanitorContract(
    String module, ClaimStateCoverage coverage, JanitorTiming timing, JanitorMode mode) {
  public static final int MAX_CLAIM_STATES = 1_000;

  public JanitorContract {
    Text.requiredName(module);
  }

  /** A contract that covers these claim states. */
  public JanitorContract(
      String module, Set<String> claimStates, JanitorTiming timing, JanitorMode mode) {
    this(module, new ClaimStateCoverage.Named(claimStates), timing, mode);
  }

  /** Returns the claim states, or throws if they break a limit. */
  public static Set<String> requireClaimStates(Set<String> states) {
    if (states.size() > MAX_CLAIM_STATES) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT,
              "has %d claim states; at most %d are allowed",
              states.size(),
              MAX_CLAIM_STATES));
    }
    states.forEach(Text::requiredShortName);
    return states;
  }

  /** The covered claim states by name; empty if it covers all. */
  public Set<String> claimStates() {
    return switch (coverage) {
      case ClaimStateCoverage.Named(var claimStates) -> claimStates;
      case ClaimStateCoverage.All _ -> Set.of();
    };
  }

  public boolean coversAll() {
    return coverage instanceof ClaimStateCoverage.All;
  }

  /** Whether the janitor frees entities that are stuck in this state. */
  public boolean covers(String claimState) {
    return coverage.covers(claimState);
  }

  /**
   * The time by which the janitor is late. If the last sweep lies in the future, the clock went
   * back, and the janitor is late by that time.
   *
   * @param since the last successful sweep, or the declaration
   * @return zero or less if it is on schedule
   */
  public Duration lag(Instant since, Instant now) {
    return since.isAfter(now)
        ? Duration.between(now, since)
        : Duration.between(since.plus(timing.every()), now);
  }

  /** Whether it is so late that entities may stay stuck longer than the contract allows. */
  public boolean isOverdue(Instant since, Instant now) {
    return lag(since, now).compareTo(JanitorTiming.SWEEP) > 0;
  }
}
