package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.QueueFull;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;

/**
 * A request for a token, with the policy for a token that another run owns. Immutable: every method
 * returns a copy.
 *
 * <p>Knowledge of a token is enough to signal its run and to free it. No method prints it, not even
 * {@link #toString}.
 */
public final class HookRequest {

  private static final int FINGERPRINT_BYTES = 8;

  private final String token;
  private final String name;
  private final Duration retention;
  private final Policy policy;

  private HookRequest(String token, String name, Duration retention, Policy policy) {
    this.token = token;
    this.name = name;
    this.retention = retention;
    this.policy = policy;
  }

  /** What happens if another run owns the token; 0, unset and empty = the default of Hapax. */
  private record Policy(
      OnConflict onConflict, String expectedOwner, int queueLimit, QueueFull queueFull) {
    Policy(OnConflict onConflict) {
      this(onConflict, "", 0, QueueFull.QUEUE_FULL_UNSPECIFIED);
    }
  }

  /**
   * Requests this token with the policy REJECT: if another run owns it, the result names that run.
   *
   * @param token such as {@code order/4711}; 1 to 255 characters
   */
  public static HookRequest of(String token) {
    if (token.isEmpty()) {
      throw new IllegalArgumentException("token must not be empty");
    }
    return new HookRequest(
        KeyText.check("token", token),
        "",
        Duration.ZERO,
        new Policy(OnConflict.ON_CONFLICT_REJECT));
  }

  /**
   * Names the token in the run: steps that wait for {@link SignalOptions#hook} receive the signals
   * sent to it. At most 255 characters; default none.
   */
  public HookRequest name(String name) {
    return new HookRequest(token, KeyText.check("name", name), retention, policy);
  }

  /**
   * Keeps the token with the run after the run has ended. At most 365 days; default 0: the token is
   * free at the end.
   */
  public HookRequest retention(Duration kept) {
    return new HookRequest(token, name, Objects.requireNonNull(kept), policy);
  }

  /** Takes the token from its owner, which is CANCELLED unless it has ended. */
  public HookRequest supersede() {
    return with(new Policy(OnConflict.ON_CONFLICT_SUPERSEDE));
  }

  /** As {@link #supersede()}, but only from this run. */
  public HookRequest supersede(String ownerRunId) {
    return with(
        new Policy(
            OnConflict.ON_CONFLICT_SUPERSEDE, ownerRunId, 0, QueueFull.QUEUE_FULL_UNSPECIFIED));
  }

  /**
   * Returns the owner instead of starting a run, whether it runs or has ended. Only for {@link
   * StartOptions#hook}.
   */
  public HookRequest useExisting() {
    return with(new Policy(OnConflict.ON_CONFLICT_USE_EXISTING));
  }

  /**
   * Sends the signal of the request to the owner instead of starting a run. Only for {@link
   * StartOptions#hook}, with a {@link StartOptions#signal}.
   */
  public HookRequest signalExisting() {
    return with(new Policy(OnConflict.ON_CONFLICT_SIGNAL_EXISTING));
  }

  /** As {@link #queue(int)}, with at most 1,000 runs that wait. */
  public HookRequest queue() {
    return queue(0);
  }

  /**
   * Lets the run wait until it is its turn to own the token: it is {@link Started.Queued}, and
   * begins once the owner and the runs before it have ended. Only for {@link StartOptions#hook};
   * all hooks of a start wait, or none does.
   *
   * @param limit how many runs may wait, at most 10,000; beyond it the start is {@link
   *     Started.Rejected}. 0 = 1,000
   */
  public HookRequest queue(int limit) {
    return queue(limit, QueueFull.QUEUE_FULL_REJECT);
  }

  /**
   * As {@link #queue(int)}.
   *
   * @param full SUPERSEDE, only with a limit of 1: the run waits instead of the one that waits,
   *     which is CANCELLED
   */
  public HookRequest queue(int limit, QueueFull full) {
    return with(new Policy(OnConflict.ON_CONFLICT_QUEUE, "", limit, full));
  }

  private HookRequest with(Policy next) {
    return new HookRequest(token, name, retention, next);
  }

  /** The token. */
  String token() {
    return token;
  }

  /** The name of the token in the run; empty = none. */
  String name() {
    return name;
  }

  /** How long the token stays with the run after its end. */
  Duration retention() {
    return retention;
  }

  /** The policy for a token that another run owns. */
  OnConflict onConflict() {
    return policy.onConflict();
  }

  /** The only run that may lose the token; empty = any. */
  String expectedOwner() {
    return policy.expectedOwner();
  }

  /** How many runs may wait for the token; 0 = the default. */
  int queueLimit() {
    return policy.queueLimit();
  }

  /** The policy for a token for which as many runs wait. */
  QueueFull queueFull() {
    return policy.queueFull();
  }

  /** Identifies the token without revealing it, such as in the names of steps. */
  String fingerprint() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "hook " + fingerprint();
  }
}
