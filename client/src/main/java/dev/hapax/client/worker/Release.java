package dev.hapax.client.worker;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.ReleaseTaskRequest;
import java.time.Duration;

/**
 * The worker releases a step that it cannot work on, without costing an attempt unless the run has
 * 50,000 events. The step is offered again after a delay, to any worker.
 */
public final class Release implements TaskResult {

  private final ReleaseTaskRequest message;

  private Release(ReleaseTaskRequest message) {
    this.message = message;
  }

  /** Offered again after the server's default delay, 5 s. */
  public static Release ofTask() {
    return new Release(ReleaseTaskRequest.getDefaultInstance());
  }

  /** Offered again after this delay: 0 to 1 h. */
  public static Release after(Duration delay) {
    Limits.within("delay", delay, Duration.ZERO, Duration.ofHours(1));
    return new Release(ReleaseTaskRequest.newBuilder().setDelay(ProtoTimes.toProto(delay)).build());
  }

  ReleaseTaskRequest toProto() {
    return message;
  }
}
