package dev.hapax.domain.janitor;

import dev.hapax.domain.Attribution;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a module has promised, and what is demanded of it. Both are here, so that a lifecycle that
 * comes and a contract that changes meet.
 *
 * @param contract empty = it promised nothing
 * @param declaredAt since when it promises in this mode; the beginning of its first period
 * @param demands the claim states of each lifecycle of the module
 * @param by of the contract as it is
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

  /** Other times put nothing off: two versions of a module may declare theirs in turns for long. */
  Janitor declared(JanitorContract next, Instant now, Attribution author) {
    var since = isIn(next.mode()) ? declaredAt : now;
    return new Janitor(Optional.of(next), since, demands, author);
  }

  /** Whether this is how it has promised to look. */
  boolean isIn(JanitorMode mode) {
    return contract.filter(promise -> promise.mode() == mode).isPresent();
  }

  /** With the demand of a lifecycle, which replaces the one it had. */
  public Janitor demanded(RequiredClaimStates demand) {
    if (demand.claimStates().isEmpty()) {
      return spared(demand.lifecycle());
    }
    var next = new TreeMap<>(demands);
    next.put(demand.lifecycle(), demand);
    return new Janitor(contract, declaredAt, next, by);
  }

  /** Without any demand of this lifecycle. */
  public Janitor spared(String lifecycle) {
    var next = new TreeMap<>(demands);
    next.remove(lifecycle);
    return new Janitor(contract, declaredAt, next, by);
  }

  /** What is demanded and not promised. */
  public List<UncoveredState> uncovered() {
    return uncovered(contract.map(Set::of).orElseGet(Set::of));
  }

  List<UncoveredState> uncovered(Collection<JanitorContract> promised) {
    return UncoveredState.of(demands.values(), promised);
  }

  /** The lease of whoever does not say how long. */
  public Duration staleAfter() {
    return contract
        .map(promise -> promise.timing().staleAfter())
        .orElse(JanitorTiming.DEFAULT_STALE_AFTER);
  }

  /** When it last looked and something came of it, or when it promised to. */
  Instant since(Optional<SweepRound> last) {
    return last.flatMap(SweepRound::lastProgressAt).filter(declaredAt::isBefore).orElse(declaredAt);
  }

  /** When this server has to look; empty = it has not to. */
  public Optional<Instant> due(Optional<SweepRound> last) {
    return contract
        .filter(promise -> promise.mode() == JanitorMode.HOSTED)
        .map(promise -> promise.timing().every())
        .map(
            every ->
                last.filter(round -> declaredAt.isBefore(round.at()))
                    .map(round -> round.next(every))
                    .orElse(declaredAt.plus(every)));
  }

  /** Whether it frees what is stuck in this state, in this mode. */
  public boolean covers(String claimState, JanitorMode mode) {
    return contract
        .filter(promise -> promise.mode() == mode && promise.covers(claimState))
        .isPresent();
  }
}
