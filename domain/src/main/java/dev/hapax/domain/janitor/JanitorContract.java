package dev.hapax.domain.janitor;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * What a module promises: entities do not stay in these claim states when their holder is gone.
 *
 * @param coverage of all lifecycles of the module
 */
public record JanitorContract(
    String module, ClaimStateCoverage coverage, JanitorTiming timing, JanitorMode mode) {
  public static final int MAX_CLAIM_STATES = 1_000;

  public JanitorContract {
    Text.requiredName(module);
  }

  /** One that covers these. */
  public JanitorContract(
      String module, Set<String> claimStates, JanitorTiming timing, JanitorMode mode) {
    this(module, new ClaimStateCoverage.Named(claimStates), timing, mode);
  }

  /** The claim states, or a violation. */
  public static Set<String> requireClaimStates(Set<String> states) {
    if (states.size() > MAX_CLAIM_STATES) {
      throw new InvalidValueException(
          "has %d claim states; at most %d are allowed".formatted(states.size(), MAX_CLAIM_STATES));
    }
    states.forEach(Text::requiredShortName);
    return states;
  }

  /** The claim states that it names; none, if it covers all. */
  public Set<String> claimStates() {
    return switch (coverage) {
      case ClaimStateCoverage.Named(var claimStates) -> claimStates;
      case ClaimStateCoverage.All _ -> Set.of();
    };
  }

  public boolean coversAll() {
    return coverage instanceof ClaimStateCoverage.All;
  }

  /** Whether this janitor frees what is stuck in this state. */
  public boolean covers(String claimState) {
    return coverage.covers(claimState);
  }

  /**
   * How late it is.
   *
   * @param since when it last looked and something came of it, or when it was declared
   * @return zero or less if it is not
   */
  public Duration lag(Instant since, Instant now) {
    return Duration.between(since.plus(timing.every()), now);
  }

  /** Whether it has not looked for so long that what is stuck may stay longer than promised. */
  public boolean isOverdue(Instant since, Instant now) {
    return lag(since, now).compareTo(JanitorTiming.SWEEP) > 0;
  }
}
