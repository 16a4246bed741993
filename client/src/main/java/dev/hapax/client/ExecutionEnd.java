package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.Failure;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an execution ends before its code does. */
sealed interface ExecutionEnd {

  /** The end of an execution that has both. */
  ExecutionEnd or(ExecutionEnd other);

  /** It fails. Another end would lose what the failure says of its part. */
  record Failing(TaskVerdict verdict, @Nullable Throwable cause) implements ExecutionEnd {
    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      return this;
    }
  }

  /**
   * It waits. With a recorded end of the wait it keeps its time: a later grant of this attempt
   * counts as the end.
   *
   * @param time null = until the signal
   * @param signal null = for the time
   */
  record Waiting(@Nullable Duration time, @Nullable SignalFilter signal) implements ExecutionEnd {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      if (other instanceof Failing) {
        return other;
      }
      return other instanceof Paused paused && time == null
          ? new Waiting(paused.pause, signal)
          : this;
    }

    SuspendTaskRequest.Builder request() {
      SuspendTaskRequest.Builder request = SuspendTaskRequest.newBuilder();
      if (time != null) {
        request.setDuration(ProtoTimes.toProto(time.compareTo(SHORTEST) < 0 ? SHORTEST : time));
      }
      return signal == null ? request : request.setSignalFilter(signal);
    }
  }

  /**
   * Another worker may continue.
   *
   * @param reason is stored in the history of the run; null = none
   */
  record Released(Duration delay, @Nullable Failure reason) implements ExecutionEnd {
    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      return other instanceof Failing || other instanceof Waiting ? other : this;
    }
  }

  /** A part is attempted again after the pause. */
  record Paused(Duration pause) implements ExecutionEnd {
    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      if (other instanceof Paused shorter) {
        return shorter.pause.compareTo(pause) < 0 ? shorter : this;
      }
      return other.or(this);
    }
  }
}
