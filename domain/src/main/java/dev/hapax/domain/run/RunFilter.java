package dev.hapax.domain.run;

import dev.hapax.domain.TimeRange;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The filter of a list of runs. A run must match every condition; an empty condition matches all.
 *
 * @param statuses the run has one of them
 * @param definitions the run follows one of these definitions, in any version
 * @param labels the run has all of them, with these values
 * @param failureCode the run failed with this code
 * @param inDoubt whether its step must be one that runs at most once and outlived its lease
 * @param ended the time range in which the run ended; an open run matches no bound
 */
public record RunFilter(
    Set<RunStatus> statuses,
    Set<String> definitions,
    Map<String, String> labels,
    Optional<String> failureCode,
    boolean inDoubt,
    TimeRange created,
    TimeRange ended) {
  public static final RunFilter ALL = of(Set.of(), TimeRange.ALL);

  private static final Set<RunStatus> ENDED =
      EnumSet.of(RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED);

  public RunFilter {
    statuses = Set.copyOf(statuses);
    definitions = Set.copyOf(definitions);
    labels = Map.copyOf(labels);
  }

  public static RunFilter of(Set<RunStatus> statuses, TimeRange created) {
    return new RunFilter(
        statuses, Set.of(), Map.of(), Optional.empty(), false, created, TimeRange.ALL);
  }

  /** The runs whose step outlived its lease, and is in doubt. */
  public static RunFilter inDoubt(TimeRange created) {
    return new RunFilter(
        Set.of(), Set.of(), Map.of(), Optional.empty(), true, created, TimeRange.ALL);
  }

  /** The statuses that a matching run can have; empty = no run matches. */
  public Set<RunStatus> possibleStatuses() {
    var possible = EnumSet.allOf(RunStatus.class);
    if (!statuses.isEmpty()) {
      possible.retainAll(statuses);
    }
    if (!ended.isAll()) {
      possible.retainAll(ENDED);
    }
    if (failureCode.isPresent()) {
      possible.retainAll(Set.of(RunStatus.FAILED));
    }
    if (inDoubt) {
      possible.retainAll(Set.of(RunStatus.RUNNING));
    }
    return Collections.unmodifiableSet(possible);
  }

  public boolean matches(Run run) {
    return possibleStatuses().contains(run.status())
        && (definitions.isEmpty() || definitions.contains(run.definition().id().name()))
        && run.origin().labels().entrySet().containsAll(labels.entrySet())
        && hasFailed(run)
        && (!inDoubt || run.phase() instanceof Phase.InDoubt)
        && created.contains(run.origin().createdAt())
        && hasEnded(run);
  }

  private boolean hasFailed(Run run) {
    return failureCode.isEmpty()
        || (run.phase() instanceof Phase.Failed(_, var failure)
            && failure.code().equals(failureCode.get()));
  }

  private boolean hasEnded(Run run) {
    return ended.isAll() || (run.phase() instanceof Phase.Ended end && ended.contains(end.at()));
  }
}
