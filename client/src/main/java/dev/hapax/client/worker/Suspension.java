package dev.hapax.client.worker;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.Duration;
import java.time.Instant;

/**
 * Suspends the step for a time, until a signal, or until the first of both. It occupies no worker
 * meanwhile. Then any worker gets it again, as the same attempt. The signal is not consumed by
 * this: it is among {@link TaskContext#signals}. Immutable: every method returns a copy.
 */
public final class Suspension implements TaskResult {

  private final SuspendTaskRequest message;

  private Suspension(SuspendTaskRequest.Builder message) {
    this.message = message.build();
  }

  /** Suspends for a time from now on. More than 0, at most 365 days. */
  public static Suspension during(Duration duration) {
    Limits.within("duration", duration, Duration.ofNanos(1), Duration.ofDays(365));
    return new Suspension(
        SuspendTaskRequest.newBuilder().setDuration(ProtoTimes.toProto(duration)));
  }

  /** Suspends until a time, which may have passed. At most 365 days ahead. */
  public static Suspension until(Instant until) {
    return new Suspension(SuspendTaskRequest.newBuilder().setUntil(ProtoTimes.toProto(until)));
  }

  /** Suspends until a matching signal is in the run's inbox; an existing one counts. */
  public static Suspension untilSignal(AwaitedSignal awaited) {
    return new Suspension(SuspendTaskRequest.newBuilder().setSignalFilter(awaited.toProto()));
  }

  /** Also ends the suspension at a matching signal, as {@link #untilSignal} does. */
  public Suspension orSignal(AwaitedSignal awaited) {
    return new Suspension(message.toBuilder().setSignalFilter(awaited.toProto()));
  }

  /** Changes the run's state, as {@link Completion#withStatePatch} does. */
  public Suspension withStatePatch(String json) {
    return new Suspension(message.toBuilder().setStatePatch(Payload.newBuilder().setJson(json)));
  }

  /** Also ends the suspension after this time, unless it has a time already. */
  Suspension orDuring(Duration duration) {
    return message.hasUntil() || message.hasDuration()
        ? this
        : new Suspension(message.toBuilder().setDuration(ProtoTimes.toProto(duration)));
  }

  SuspendTaskRequest toProto() {
    return message;
  }
}
