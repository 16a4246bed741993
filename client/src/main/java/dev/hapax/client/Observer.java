package dev.hapax.client;

import java.time.Duration;

/**
 * Receives events of a client, to count them; see {@link Hapax.Builder#observer}. Its values are
 * few and bounded, so each can be a label of a metric: no id, key, path or account.
 *
 * <p>Methods are called on threads of the client, also at the same time, and must not block. An
 * exception of an observer fails no call: the first one is logged, later ones are dropped.
 */
public interface Observer {

  /** An observer that does nothing. */
  Observer NONE = new Observer() {};

  /** How a call ended. All but {@code OK} and {@code CANCELLED} are an exception of the caller. */
  enum CallKind {
    OK,
    /** {@link HapaxException.Refused}. */
    REFUSED,
    /** {@link HapaxException.Unavailable}. */
    UNAVAILABLE,
    /** {@link HapaxException.Unauthenticated}. */
    UNAUTHENTICATED,
    /** {@link HapaxException.PermissionDenied}. */
    PERMISSION_DENIED,
    /** {@link HapaxException.UnknownAnswer}. */
    UNKNOWN_ANSWER,
    /** The caller stopped waiting. */
    CANCELLED
  }

  /** How a task of a worker ended. */
  enum TaskKind {
    COMPLETED,
    /** The step waits for time or a signal. */
    SUSPENDED,
    /** The handler gave the task back. */
    RELEASED,
    /** The attempt failed; the policy of the step decides about another. */
    RETRYABLE,
    /** The step failed. */
    FINAL,
    /** The claim was lost, and the result is dropped. */
    LOST,
    /** Hapax did not respond to the result in time, so the step may run again. */
    UNRECORDED
  }

  /** What held a claim. */
  enum HolderKind {
    OPERATION,
    ACTION,
    TASK
  }

  /** How an HTTP request with an idempotency key ended. */
  enum HttpOutcome {
    /** The handler ran, and its response is recorded. */
    EXECUTED,
    /** The recorded response was sent. */
    REPLAYED,
    /** The handler failed, so the key is free again. */
    FAILED,
    /** The request or its key is invalid, or a required key is missing. */
    INVALID,
    /** Another request with this key is in progress. */
    IN_PROGRESS,
    /** The key was used with another request. */
    KEY_REUSED,
    /** Another holder took over, and the client did not get the response of this one. */
    CLAIM_LOST,
    /** The effect of an earlier attempt is unknown. */
    INDETERMINATE,
    /** The operation failed for good. */
    REJECTED,
    /** The recorded response was too large to be kept. */
    NOT_RETAINED,
    /** The handler ran, and its response may not be recorded: Hapax was unreachable. */
    UNTRACKED,
    /** Hapax is unreachable, or does not accept the caller's credentials. */
    UNAVAILABLE,
    /** Hapax refused the operation because of the service. */
    MISCONFIGURED
  }

  /**
   * A call ended, after its retries. Renewals of leases are not reported.
   *
   * @param method the rpc, such as {@code StartRun}
   */
  default void called(String method, CallKind kind, Duration duration) {}

  /**
   * A task of a worker ended.
   *
   * @param duration from the receipt of the task until its end was recorded
   */
  default void worked(String definition, String step, TaskKind kind, Duration duration) {}

  /** A claim expired, or Hapax reported its loss, before its end was recorded. */
  default void lost(HolderKind kind) {}

  /**
   * The slots of a worker changed. The sum of all changes is the number of slots of all workers of
   * the client.
   *
   * @param busy the change of the number of slots with a task
   * @param free the change of the number of slots without one
   */
  default void slotsChanged(int busy, int free) {}

  /** An HTTP request with an idempotency key ended. */
  default void served(HttpOutcome outcome, Duration duration) {}
}
