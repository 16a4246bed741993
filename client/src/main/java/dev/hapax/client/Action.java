package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.BeginActionRequest;
import java.time.Duration;

/**
 * A step of an entity, which one holder at a time takes. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * Action.of("invoice", "I-17", "pay", "admin").wait(Duration.ofSeconds(5))
 * }</pre>
 */
public final class Action {

  private static final Duration HOLD_AT_MOST = Duration.ofHours(1);

  private final BeginActionRequest message;
  private final Duration holdAtMost;

  private Action(BeginActionRequest.Builder message, Duration holdAtMost) {
    this.message = message.build();
    this.holdAtMost = holdAtMost;
  }

  /**
   * Returns an action.
   *
   * @param lifecycle the name of the lifecycle that the entity follows
   * @param id of the entity
   * @param step the {@code step_key} in the lifecycle
   * @param requester the role of the caller, such as {@code admin}; the lifecycle defines its steps
   */
  public static Action of(String lifecycle, String id, String step, String requester) {
    return new Action(
        BeginActionRequest.newBuilder()
            .setLifecycle(KeyText.required("lifecycle", lifecycle))
            .setEntityId(KeyText.required("id", id))
            .setStepKey(KeyText.required("step", step))
            .setRequester(KeyText.required("requester", requester)),
        HOLD_AT_MOST);
  }

  /**
   * The version that the entity must have, else the call is refused with CONCURRENCY_ERROR. Default
   * 0: any version.
   */
  public Action expectedVersion(long expectedVersion) {
    if (expectedVersion < 0) {
      throw new IllegalArgumentException(
          "expectedVersion must not be negative (was " + expectedVersion + ")");
    }
    return new Action(message.toBuilder().setExpectedVersion(expectedVersion), holdAtMost);
  }

  /** How long to wait for another holder to end, at most 30 s. Default 0. */
  public Action wait(Duration wait) {
    Ranges.within("wait", wait, Duration.ZERO, Duration.ofSeconds(30));
    return new Action(message.toBuilder().setWait(ProtoTimes.toProto(wait)), holdAtMost);
  }

  /**
   * After which a holder that died is replaced; 100 ms to 24 h. Default: {@code staleAfter} of the
   * janitor.
   */
  public Action lease(Duration lease) {
    Ranges.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return new Action(message.toBuilder().setLease(ProtoTimes.toProto(lease)), holdAtMost);
  }

  /**
   * The end of renewals, so that work that hangs loses its claim; at most 365 days. Default 1 h.
   */
  public Action holdAtMost(Duration holdAtMost) {
    Ranges.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
    return new Action(message.toBuilder(), holdAtMost);
  }

  BeginActionRequest message() {
    return message;
  }

  Duration waiting() {
    return ProtoTimes.toJava(message.getWait());
  }

  Duration holdAtMost() {
    return holdAtMost;
  }
}
