package dev.hapax.domain.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Instant;
import java.util.Optional;

/** The state of one idempotency key. An absent record = never begun, or forgotten. */
public sealed interface Operation {
  OperationSubject subject();

  Grant grant();

  default State state() {
    return switch (this) {
      case InProgress _ -> State.IN_PROGRESS;
      case Indeterminate _ -> State.INDETERMINATE;
      case Released _ -> State.RELEASED;
      case Completed _ -> State.COMPLETED;
      case Rejected _ -> State.REJECTED;
    };
  }

  /** Whether the record has expired. Only an ended operation expires. */
  default boolean isForgotten(Instant now) {
    return switch (this) {
      case InProgress _, Indeterminate _ -> false;
      case Released _, Completed _, Rejected _ -> !now.isBefore(grant().expiresAt());
    };
  }

  /** The recorded result, if the operation has one. */
  default Optional<Replay> replay() {
    return switch (this) {
      case InProgress _, Indeterminate _, Released _ -> Optional.empty();
      case Completed done -> Optional.of(new Replay.Result(done.result(), done.since()));
      case Rejected rejected ->
          Optional.of(new Replay.Failed(rejected.failure(), rejected.since()));
    };
  }

  /**
   * The subject of the next grant or resolution. An operator's grant counts as failed too, but no
   * caller has its claim.
   */
  default OperationSubject subjectOfNextGrant() {
    return switch (this) {
      case InProgress _, Completed _ -> subject();
      case Indeterminate held ->
          held.lapsed().isPresent()
              ? subject()
              : subject().failed(grant(), RememberedCalls.Kind.UNKNOWN_EFFECT);
      case Released _ -> subject().failed(grant(), RememberedCalls.Kind.RETRYABLE);
      case Rejected _ -> subject().failed(grant(), RememberedCalls.Kind.FINAL);
    };
  }

  /** A caller holds the operation; its lease may have expired. */
  record InProgress(
      OperationSubject subject,
      Grant grant,
      AttemptId attemptId,
      Instant leaseUntil,
      OnStale onStale)
      implements Operation {

    boolean isLive(Instant now) {
      return now.isBefore(leaseUntil);
    }

    /** Renews the lease, but never shortens it. */
    InProgress renewedUntil(Instant until) {
      return until.isAfter(leaseUntil)
          ? new InProgress(subject, grant, attemptId, until, onStale)
          : this;
    }
  }

  /**
   * It is unknown whether the operation took effect, until its holder or an operator reports it.
   *
   * @param failure as the holder reported it
   * @param lapsed the holder's attempt, if its lease expired without a report
   */
  record Indeterminate(
      OperationSubject subject,
      Grant grant,
      Instant since,
      Optional<Failure> failure,
      Optional<AttemptId> lapsed)
      implements Operation {

    /** The state after the lease of an operation with {@link OnStale#HOLD} expired. */
    static Indeterminate lapsed(InProgress held, Instant now) {
      return new Indeterminate(
          held.subject, held.grant, now, Optional.empty(), Optional.of(held.attemptId));
    }

    /** Renews the lease of the late holder; other callers still cannot take over. */
    Optional<InProgress> renewedUntil(Instant until) {
      return lapsed.map(attempt -> new InProgress(subject, grant, attempt, until, OnStale.HOLD));
    }
  }

  /** The operation failed without effect, or an operator reset it; the next Begin acquires it. */
  record Released(OperationSubject subject, Grant grant, Instant since, Optional<Failure> failure)
      implements Operation {}

  /** The operation completed; an empty result is void. */
  record Completed(
      OperationSubject subject,
      Grant grant,
      Instant since,
      Optional<Payload> result,
      Optional<String> accountAfter)
      implements Operation {}

  /** The operation failed for good. */
  record Rejected(OperationSubject subject, Grant grant, Instant since, Failure failure)
      implements Operation {}

  /** The states by name, for filters and storage. */
  enum State {
    IN_PROGRESS,
    INDETERMINATE,
    RELEASED,
    COMPLETED,
    REJECTED
  }
}
