package dev.hapax.client.worker;

import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.ReleaseTaskRequest;
import java.time.Duration;

/**
 * Releases a step that the worker cannot run. It costs no attempt unless the run has 50,000 events.
 * After a delay, any worker may get the step.
 */
public final class Release implements TaskResult {

  private final ReleaseTaskRequest message;

  private Release(ReleaseTaskRequest message) {
    this.message = message;
  }

  /** Releases with the server's default delay, 5 s. */
  public static Release ofTask() {
    return new Release(ReleaseTaskRequest.getDefaultInstance());
  }

  /** Releases with this delay: 0 to 1 h. */
  public static Release after(Duration delay) {
    Limits.within("delay", delay, Duration.ZERO, Duration.ofHours(1));
    return new Release(ReleaseTaskRequest.newBuilder().setDelay(ProtoTimes.toProto(delay)).build());
  }

  /**
   * Adds the reason, which is stored in the history of the run and shown by ExplainRun. Default
   * none.
   *
   * @param code for programs, such as {@code CODE_CHANGED}; cut after 255 characters
   * @param message for people; cut after 4 KiB
   */
  public Release because(String code, String message) {
    return new Release(
        this.message.toBuilder().setReason(FailureText.describe(code, message)).build());
  }

  ReleaseTaskRequest toProto() {
    return message;
  }
}
