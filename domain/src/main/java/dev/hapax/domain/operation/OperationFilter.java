package dev.hapax.domain.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.operation.Operation.State;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The filter of a list of operations. An operation must match every condition; an empty condition
 * matches all.
 *
 * @param states the operation has one of them
 * @param inDoubt it is unknown whether the operation took effect: it is INDETERMINATE, or it is
 *     held for review and its lease expired
 * @param operations the operation belongs to one of these handlers
 * @param failureCode the operation has a failure with this code
 * @param started the time range of the last grant
 * @param ended the time range in which the operation reached its state; one in progress matches no
 *     bound
 */
public record OperationFilter(
    Set<State> states,
    boolean inDoubt,
    Set<String> operations,
    Optional<String> failureCode,
    TimeRange started,
    TimeRange ended) {
  public static final OperationFilter ALL =
      new OperationFilter(
          Set.of(), false, Set.of(), Optional.empty(), TimeRange.ALL, TimeRange.ALL);

  private static final Set<State> FAILED =
      EnumSet.of(State.INDETERMINATE, State.RELEASED, State.REJECTED);

  public OperationFilter {
    states = Set.copyOf(states);
    operations = Set.copyOf(operations);
  }

  public static OperationFilter inDoubt(TimeRange started) {
    return new OperationFilter(Set.of(), true, Set.of(), Optional.empty(), started, TimeRange.ALL);
  }

  /** The states that a matching operation can have; empty = no operation matches. */
  public Set<State> possibleStates() {
    var possible = EnumSet.allOf(State.class);
    if (!states.isEmpty()) {
      possible.retainAll(states);
    }
    if (inDoubt) {
      possible.retainAll(Set.of(State.IN_PROGRESS, State.INDETERMINATE));
    }
    if (!ended.isAll()) {
      possible.remove(State.IN_PROGRESS);
    }
    if (failureCode.isPresent()) {
      possible.retainAll(FAILED);
    }
    return Collections.unmodifiableSet(possible);
  }

  public boolean matches(Operation operation, Instant now) {
    return possibleStates().contains(operation.state())
        && (!inDoubt || isInDoubt(operation, now))
        && (operations.isEmpty() || operations.contains(operation.subject().key().operation()))
        && (failureCode.isEmpty() || failureCode.equals(failure(operation).map(Failure::code)))
        && started.contains(operation.grant().at())
        && (ended.isAll() || endedAt(operation).filter(ended::contains).isPresent());
  }

  private static boolean isInDoubt(Operation operation, Instant now) {
    return switch (operation) {
      case Operation.Indeterminate _ -> true;
      case Operation.InProgress held -> held.onStale() == OnStale.HOLD && !held.isLive(now);
      case Operation.Released _, Operation.Completed _, Operation.Rejected _ -> false;
    };
  }

  private static Optional<Failure> failure(Operation operation) {
    return switch (operation) {
      case Operation.Indeterminate held -> held.failure();
      case Operation.Released released -> released.failure();
      case Operation.Rejected rejected -> Optional.of(rejected.failure());
      case Operation.InProgress _, Operation.Completed _ -> Optional.empty();
    };
  }

  private static Optional<Instant> endedAt(Operation operation) {
    return switch (operation) {
      case Operation.InProgress _ -> Optional.empty();
      case Operation.Indeterminate held -> Optional.of(held.since());
      case Operation.Released released -> Optional.of(released.since());
      case Operation.Completed completed -> Optional.of(completed.since());
      case Operation.Rejected rejected -> Optional.of(rejected.since());
    };
  }
}
