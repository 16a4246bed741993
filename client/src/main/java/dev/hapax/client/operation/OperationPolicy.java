package dev.hapax.client.operation;

import dev.hapax.client.internal.Limits;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of an operation. Start from {@link #DEFAULT}.
 *
 * @param lease how long the key stays with a holder without renewals; the client renews it every
 *     third of this while the work runs. 100 ms to 24 h, default 60 s
 * @param ttl how long the result is replayed, from the grant on. More than 0, at most 30 days,
 *     default 24 h
 * @param maxWait how long a duplicate waits for the holder to finish. 0 to 30 s, default 0
 * @param onStale what happens to the key when its holder lets the lease expire. Default TAKE_OVER
 * @param accountChanging the work changes the account, so the key is found without it; such request
 *     ids must not be guessable. Default false
 * @param failOpen run the work untracked when Hapax is unreachable, instead of failing: it may then
 *     run more than once. Not if Hapax rejects the API key. Default false
 * @param beginTimeout how long to retry to reach Hapax before the work, besides {@code maxWait} and
 *     never past the caller's deadline. Default 10 s
 * @param holdAtMost the end of renewals, so that work that never ends does not keep its key.
 *     Default 1 h
 * @param interruptWhenLost interrupt the thread of the work when the claim is lost; only {@link
 *     Operations#execute} can. Default false
 * @param acceptCorrections accept a request with another fingerprint after a failure without effect
 *     (RETRYABLE). Default false: the key counts as reused
 * @param requireRequestId reject a request without an idempotency key instead of running it
 *     untracked. Default false
 */
public record OperationPolicy(
    Duration lease,
    Duration ttl,
    Duration maxWait,
    OnStale onStale,
    boolean accountChanging,
    boolean failOpen,
    Duration beginTimeout,
    Duration holdAtMost,
    boolean interruptWhenLost,
    boolean acceptCorrections,
    boolean requireRequestId) {

  /** The defaults named above. */
  public static final OperationPolicy DEFAULT =
      new OperationPolicy(
          Duration.ofSeconds(60),
          Duration.ofHours(24),
          Duration.ZERO,
          OnStale.TAKE_OVER,
          false,
          false,
          Duration.ofSeconds(10),
          Duration.ofHours(1),
          false,
          false,
          false);

  private static final Duration FAIL_OPEN_AFTER = Duration.ofSeconds(1);

  /** Checks the limits. */
  public OperationPolicy {
    Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    Limits.within("ttl", ttl, Duration.ofNanos(1), Duration.ofDays(30));
    Limits.within("maxWait", maxWait, Duration.ZERO, Duration.ofSeconds(30));
    Objects.requireNonNull(onStale, "onStale");
    Limits.within("beginTimeout", beginTimeout, Duration.ofMillis(1), Duration.ofHours(1));
    Limits.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
  }

  /** Returns a copy with another {@link #lease}. */
  public OperationPolicy withLease(Duration lease) {
    Draft draft = new Draft(this);
    draft.lease = lease;
    return draft.policy();
  }

  /** Returns a copy with another {@link #ttl}. */
  public OperationPolicy withTtl(Duration ttl) {
    Draft draft = new Draft(this);
    draft.ttl = ttl;
    return draft.policy();
  }

  /** Returns a copy with another {@link #maxWait}. */
  public OperationPolicy withMaxWait(Duration maxWait) {
    Draft draft = new Draft(this);
    draft.maxWait = maxWait;
    return draft.policy();
  }

  /** Returns a copy with another {@link #onStale}. */
  public OperationPolicy withOnStale(OnStale onStale) {
    Draft draft = new Draft(this);
    draft.onStale = onStale;
    return draft.policy();
  }

  /** Returns a copy with another {@link #accountChanging}. */
  public OperationPolicy withAccountChanging(boolean accountChanging) {
    Draft draft = new Draft(this);
    draft.accountChanging = accountChanging;
    return draft.policy();
  }

  /**
   * Returns a copy with another {@link #failOpen}. True also cuts {@link #beginTimeout} to 1 s, as
   * callers would time out before a longer one. Set that afterwards to override.
   */
  public OperationPolicy withFailOpen(boolean failOpen) {
    Draft draft = new Draft(this);
    draft.failOpen = failOpen;
    if (failOpen && beginTimeout.compareTo(FAIL_OPEN_AFTER) > 0) {
      draft.beginTimeout = FAIL_OPEN_AFTER;
    }
    return draft.policy();
  }

  /** Returns a copy with another {@link #beginTimeout}. */
  public OperationPolicy withBeginTimeout(Duration beginTimeout) {
    Draft draft = new Draft(this);
    draft.beginTimeout = beginTimeout;
    return draft.policy();
  }

  /** Returns a copy with another {@link #holdAtMost}. */
  public OperationPolicy withHoldAtMost(Duration holdAtMost) {
    Draft draft = new Draft(this);
    draft.holdAtMost = holdAtMost;
    return draft.policy();
  }

  /** Returns a copy with another {@link #interruptWhenLost}. */
  public OperationPolicy withInterruptWhenLost(boolean interruptWhenLost) {
    Draft draft = new Draft(this);
    draft.interruptWhenLost = interruptWhenLost;
    return draft.policy();
  }

  /** Returns a copy with another {@link #acceptCorrections}. */
  public OperationPolicy withAcceptCorrections(boolean acceptCorrections) {
    Draft draft = new Draft(this);
    draft.acceptCorrections = acceptCorrections;
    return draft.policy();
  }

  /** Returns a copy with another {@link #requireRequestId}. */
  public OperationPolicy withRequireRequestId(boolean requireRequestId) {
    Draft draft = new Draft(this);
    draft.requireRequestId = requireRequestId;
    return draft.policy();
  }

  /** A copy to change one component of. */
  private static final class Draft {
    private Duration lease;
    private Duration ttl;
    private Duration maxWait;
    private OnStale onStale;
    private boolean accountChanging;
    private boolean failOpen;
    private Duration beginTimeout;
    private Duration holdAtMost;
    private boolean interruptWhenLost;
    private boolean acceptCorrections;
    private boolean requireRequestId;

    Draft(OperationPolicy policy) {
      lease = policy.lease;
      ttl = policy.ttl;
      maxWait = policy.maxWait;
      onStale = policy.onStale;
      accountChanging = policy.accountChanging;
      failOpen = policy.failOpen;
      beginTimeout = policy.beginTimeout;
      holdAtMost = policy.holdAtMost;
      interruptWhenLost = policy.interruptWhenLost;
      acceptCorrections = policy.acceptCorrections;
      requireRequestId = policy.requireRequestId;
    }

    OperationPolicy policy() {
      return new OperationPolicy(
          lease,
          ttl,
          maxWait,
          onStale,
          accountChanging,
          failOpen,
          beginTimeout,
          holdAtMost,
          interruptWhenLost,
          acceptCorrections,
          requireRequestId);
    }
  }
}
