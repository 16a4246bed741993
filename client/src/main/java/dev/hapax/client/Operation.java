package dev.hapax.client;

import com.google.protobuf.ByteString;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.OnReleasedMismatch;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Work that happens once for each request id. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * Operation.of("POST /payments", key).input(payment).lease(Duration.ofSeconds(30))
 * }</pre>
 */
public final class Operation {

  private static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration HOLD_AT_MOST = Duration.ofHours(1);
  private static final int FINGERPRINT_BYTES = 1024;

  private final BeginOperationRequest message;
  private final @Nullable Object input;
  private final Duration holdAtMost;
  private final boolean failsOpen;

  /** What happens to a key whose holder has died. */
  public enum OnStale {
    /** The next caller does the work, with {@link Claim#isReclaimed}. */
    TAKE_OVER,
    /** Duplicates are rejected until an operator resolves the operation. */
    HOLD
  }

  private Operation(
      BeginOperationRequest.Builder message,
      @Nullable Object input,
      Duration holdAtMost,
      boolean failsOpen) {
    this.message = message.build();
    this.input = input;
    this.holdAtMost = holdAtMost;
    this.failsOpen = failsOpen;
  }

  /**
   * Returns an operation.
   *
   * @param name of the handler, such as {@code POST /payments}
   * @param requestId the idempotency key of the caller; empty = the work runs untracked
   */
  public static Operation of(String name, String requestId) {
    if (name.isEmpty() && !requestId.isEmpty()) {
      throw new IllegalArgumentException("the name of an operation must not be empty");
    }
    return new Operation(
        BeginOperationRequest.newBuilder()
            .setOperation(KeyText.check("operation", name))
            .setRequestId(KeyText.check("requestId", requestId))
            .setLease(ProtoTimes.toProto(LEASE))
            .setOnStale(dev.hapax.v1.OnStale.ON_STALE_TAKE_OVER)
            .setOnReleasedMismatch(OnReleasedMismatch.ON_RELEASED_MISMATCH_KEY_REUSED),
        null,
        HOLD_AT_MOST,
        false);
  }

  private Operation copy(BeginOperationRequest.Builder changed) {
    return new Operation(changed, input, holdAtMost, failsOpen);
  }

  /** Belongs to this handler instead, for handlers that share their keys. */
  public Operation name(String name) {
    return copy(message.toBuilder().setOperation(KeyText.required("operation", name)));
  }

  /** On whose behalf: a key belongs to an account. Default none. */
  public Operation account(String account) {
    return copy(message.toBuilder().setAccount(KeyText.check("account", account)));
  }

  /**
   * What a duplicate must have in common, else it gets {@link OnceOutcome.KeyReused}: SHA-256 of
   * bytes, or of the JSON as RFC 8785 writes it, the same in all languages. Default none.
   *
   * <p>The call throws {@link IllegalArgumentException}, and sends nothing, if the JSON has an
   * integer beyond 2^53 - 1 (send it as text), a number that is not finite or an unpaired
   * surrogate.
   *
   * @param input {@code byte[]}, anything with a JSON, or a {@link Value}, such as a {@link
   *     Value.Json} for a text that is JSON already
   */
  public Operation input(Object input) {
    return new Operation(
        message.toBuilder(), Objects.requireNonNull(input, "input"), holdAtMost, failsOpen);
  }

  /** As {@link #input}, with bytes of at most 1 KiB that stand for it. */
  public Operation fingerprint(byte[] fingerprint) {
    Ranges.within("the length of the fingerprint", fingerprint.length, 0, FINGERPRINT_BYTES);
    return new Operation(
        message.toBuilder().setFingerprint(ByteString.copyFrom(fingerprint)),
        null,
        holdAtMost,
        failsOpen);
  }

  /** After which a holder that died is replaced; 100 ms to 24 h. Default 60 s. */
  public Operation lease(Duration lease) {
    Ranges.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return copy(message.toBuilder().setLease(ProtoTimes.toProto(lease)));
  }

  /** For which the result is replayed; at most 30 days. Default 24 h. */
  public Operation ttl(Duration ttl) {
    Ranges.within("ttl", ttl, Duration.ofNanos(1), Duration.ofDays(30));
    return copy(message.toBuilder().setTtl(ProtoTimes.toProto(ttl)));
  }

  /** How long a duplicate waits for the other call, at most 30 s. Default 0. */
  public Operation wait(Duration wait) {
    Ranges.within("wait", wait, Duration.ZERO, Duration.ofSeconds(30));
    return copy(message.toBuilder().setWait(ProtoTimes.toProto(wait)));
  }

  /**
   * The end of renewals, so that work that hangs loses its claim; at most 365 days. Default 1 h.
   */
  public Operation holdAtMost(Duration holdAtMost) {
    Ranges.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
    return new Operation(message.toBuilder(), input, holdAtMost, failsOpen);
  }

  /** What happens to a key whose holder has died. Default TAKE_OVER. */
  public Operation onStale(OnStale onStale) {
    return copy(
        message.toBuilder()
            .setOnStale(
                switch (onStale) {
                  case TAKE_OVER -> dev.hapax.v1.OnStale.ON_STALE_TAKE_OVER;
                  case HOLD -> dev.hapax.v1.OnStale.ON_STALE_HOLD;
                }));
  }

  /**
   * If Hapax does not answer within a second, the work runs untracked, and may run twice. Default:
   * it does not run.
   */
  public Operation failOpen() {
    return new Operation(message.toBuilder(), input, holdAtMost, true);
  }

  /** The work may set the account of the operation, by {@link Claim#accountAfter}. */
  public Operation accountChanging() {
    return copy(message.toBuilder().setAccountChanging(true));
  }

  /** After a failure, the next call may have another input. Default: KeyReused. */
  public Operation acceptCorrections() {
    return copy(
        message.toBuilder().setOnReleasedMismatch(OnReleasedMismatch.ON_RELEASED_MISMATCH_ACCEPT));
  }

  BeginOperationRequest message() {
    return message;
  }

  @Nullable Object input() {
    return input;
  }

  Duration lease() {
    return ProtoTimes.toJava(message.getLease());
  }

  Duration waiting() {
    return ProtoTimes.toJava(message.getWait());
  }

  Duration holdAtMost() {
    return holdAtMost;
  }

  /** Whether {@link #failOpen} was chosen. */
  public boolean failsOpen() {
    return failsOpen;
  }
}
