package dev.hapax.domain.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Instant;
import java.util.Optional;

/**
 * One idempotency key and what became of it. Absent = nobody ever began it, or it was forgotten.
 */
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

  /** Whether a Begin at this time finds nothing. Only what has ended is ever forgotten. */
  default boolean isForgotten(Instant now) {
    return switch (this) {
      case InProgress _, Indeterminate _ -> false;
      case Released _, Completed _, Rejected _ -> !now.isBefore(grant().expiresAt());
    };
  }

  /** How it ended, if it has an answer. */
  default Optional<Replay> replay() {
    return switch (this) {
      case InProgress _, Indeterminate _, Released _ -> Optional.empty();
      case Completed done -> Optional.of(new Replay.Result(done.result(), done.since()));
      case Rejected rejected ->
          Optional.of(new Replay.Failed(rejected.failure(), rejected.since()));
    };
  }

  /**
   * What the next grant or resolution is about. An operator's grant counts as failed too, but no
   * caller has its claim.
   */
  default OperationSubject passedOn() {
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

  /** Somebody works on it, or died with it. */
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

    /** A longer lease that still runs is kept. */
    InProgress renewedUntil(Instant until) {
      return until.isAfter(leaseUntil)
          ? new InProgress(subject, grant, attemptId, until, onStale)
          : this;
    }
  }

  /**
   * It is unknown whether the effect happened. Stays so until its holder or an operator says.
   *
   * @param failure what the holder said
   * @param lapsed whose attempt it is, if its holder said nothing and its lease expired
   */
  record Indeterminate(
      OperationSubject subject,
      Grant grant,
      Instant since,
      Optional<Failure> failure,
      Optional<AttemptId> lapsed)
      implements Operation {

    /** As its holder, who is late, has said nothing. */
    static Indeterminate lapsed(InProgress held, Instant now) {
      return new Indeterminate(
          held.subject, held.grant, now, Optional.empty(), Optional.of(held.attemptId));
    }

    /** Its late holder goes on; no caller may take over from it, as none could until now. */
    Optional<InProgress> renewedUntil(Instant until) {
      return lapsed.map(attempt -> new InProgress(subject, grant, attempt, until, OnStale.HOLD));
    }
  }

  /** It failed before any effect, or was reset; the next Begin acquires. */
  record Released(OperationSubject subject, Grant grant, Instant since, Optional<Failure> failure)
      implements Operation {}

  /** It has a result; empty is void. */
  record Completed(
      OperationSubject subject,
      Grant grant,
      Instant since,
      Optional<Payload> result,
      Optional<String> accountAfter)
      implements Operation {}

  /** It failed for good. */
  record Rejected(OperationSubject subject, Grant grant, Instant since, Failure failure)
      implements Operation {}

  /** The states by name, to ask and to store by. */
  enum State {
    IN_PROGRESS,
    INDETERMINATE,
    RELEASED,
    COMPLETED,
    REJECTED
  }
}
