package dev.hapax.client.worker;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.Duration;
import java.time.Instant;

/**
 * The step waits without a worker, for a time, a signal, or whichever comes first; then it is
 * handed out again, to any worker, as the same attempt. The signal is not consumed by this: it is
 * among {@link TaskContext#signals} then. Immutable: every method is a copy.
 */
public final class Suspension implements TaskResult {

  private final SuspendTaskRequest message;

  private Suspension(SuspendTaskRequest.Builder message) {
    this.message = message.build();
  }

  /** For so long, from now on. More than 0, at most 365 days. */
  public static Suspension during(Duration duration) {
    Limits.within("duration", duration, Duration.ofNanos(1), Duration.ofDays(365));
    return new Suspension(
        SuspendTaskRequest.newBuilder().setDuration(ProtoTimes.toProto(duration)));
  }

  /** Until then; when that is past, it is handed out again at once. At most 365 days ahead. */
  public static Suspension until(Instant until) {
    return new Suspension(SuspendTaskRequest.newBuilder().setUntil(ProtoTimes.toProto(until)));
  }

  /** Until such a signal is in the run's inbox; one that is there already counts. */
  public static Suspension untilSignal(AwaitedSignal awaited) {
    return new Suspension(SuspendTaskRequest.newBuilder().setSignalFilter(awaited.toProto()));
  }

  /** Also until a signal, as with {@link #untilSignal}. */
  public Suspension orSignal(AwaitedSignal awaited) {
    return new Suspension(message.toBuilder().setSignalFilter(awaited.toProto()));
  }

  /** What to change in the run's state, as with {@link Completion#withStatePatch}. */
  public Suspension withStatePatch(String json) {
    return new Suspension(message.toBuilder().setStatePatch(Payload.newBuilder().setJson(json)));
  }

  SuspendTaskRequest toProto() {
    return message;
  }
}
