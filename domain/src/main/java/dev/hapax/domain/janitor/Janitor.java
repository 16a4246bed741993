package dev.hapax.domain.janitor;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.LeaseLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The janitor of a module: its contract, and the claim states that lifecycles require of it. Both
 * are in one record, so that concurrent changes of a lifecycle and a contract conflict.
 *
 * @param contract empty = none is declared
 * @param declaredAt when this mode was declared; the first period begins then
 * @param demands the required claim states, by lifecycle
 * @param by the author of the contract
 */
public record Janitor(
    Optional<JanitorContract> contract,
    Instant declaredAt,
    Map<String, RequiredClaimStates> demands,
    Attribution by) {
  public static final Janitor NONE =
      new Janitor(Optional.empty(), Instant.EPOCH, Map.of(), Attribution.NONE);

  public Janitor {
    demands = Map.copyOf(demands);
  }

  /** Whether this is its contract. */
  public boolean isDeclared(JanitorContract wanted) {
    return contract.filter(wanted::equals).isPresent();
  }

  /**
   * Returns the janitor with this contract. A change of timing alone does not restart the period:
   * two versions of a module may alternately declare theirs.
   */
  public Janitor declare(JanitorContract next, Instant now, Attribution author) {
    if (isDeclared(next)) {
      return this;
    }
    var since = isIn(next.mode()) ? declaredAt : now;
    return new Janitor(Optional.of(next), since, demands, author);
  }

  /** Whether its contract has this mode. */
  boolean isIn(JanitorMode mode) {
    return contract.filter(is -> is.mode() == mode).isPresent();
  }

  /** Returns the janitor with the required claim states of a lifecycle. */
  public Janitor withRequired(RequiredClaimStates required) {
    if (required.claimStates().isEmpty()) {
      return withoutRequired(required.lifecycle());
    }
    var next = new TreeMap<>(demands);
    next.put(required.lifecycle(), required);
    return new Janitor(contract, declaredAt, next, by);
  }

  /** Returns the janitor without required claim states of this lifecycle. */
  public Janitor withoutRequired(String lifecycle) {
    var next = new TreeMap<>(demands);
    next.remove(lifecycle);
    return new Janitor(contract, declaredAt, next, by);
  }

  /** The required claim states that the contract does not cover. */
  public List<UncoveredState> uncovered() {
    return uncovered(contract.map(Set::of).orElseGet(Set::of));
  }

  List<UncoveredState> uncovered(Collection<JanitorContract> contracts) {
    return UncoveredState.of(demands.values(), contracts);
  }

  /** The default lease of an action. */
  public Duration staleAfter() {
    return contract
        .map(contract -> contract.timing().staleAfter())
        .orElse(LeaseLimits.DEFAULT_OF_ACTION);
  }

  /** The time of the last successful sweep, or of the declaration. */
  Instant since(Optional<SweepRound> last, Instant now) {
    return last.flatMap(SweepRound::lastProgressAt)
        .filter(at -> isOfThisMode(at, now))
        .orElse(declaredAt);
  }

  /**
   * When the next hosted sweep is due; empty = the janitor is not hosted. A sweep in the future
   * shows that the clock went back, so the next one is due now.
   */
  public Optional<Instant> due(Optional<SweepRound> last, Instant now) {
    return contract
        .filter(contract -> contract.mode() == JanitorMode.HOSTED)
        .map(contract -> contract.timing().every())
        .map(
            every -> {
              var round = last.filter(swept -> isOfThisMode(swept.at(), now));
              return round.map(SweepRound::at).orElse(declaredAt).isAfter(now)
                  ? now
                  : round.map(swept -> swept.next(every)).orElse(declaredAt.plus(every));
            });
  }

  /** Sweeps earlier than the declaration had another mode, unless the clock was set back. */
  private boolean isOfThisMode(Instant swept, Instant now) {
    return declaredAt.isBefore(swept) || declaredAt.isAfter(now);
  }

  /** Whether it frees entities that are stuck in this state, in this mode. */
  public boolean covers(String claimState, JanitorMode mode) {
    return contract
        .filter(contract -> contract.mode() == mode && contract.covers(claimState))
        .isPresent();
  }
}
