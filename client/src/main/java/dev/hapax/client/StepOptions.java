package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.TaskStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The times, the retries and the limits of a step. Immutable: each method returns a copy. */
public final class StepOptions {

  static final StepOptions DEFAULT = new StepOptions(null, null, null, List.of());

  private final @Nullable Duration lease;
  private final @Nullable Retry retry;
  private final @Nullable Duration attemptTimeout;
  private final List<dev.hapax.v1.Limit> limits;

  private StepOptions(
      @Nullable Duration lease,
      @Nullable Retry retry,
      @Nullable Duration attemptTimeout,
      List<dev.hapax.v1.Limit> limits) {
    this.lease = lease;
    this.retry = retry;
    this.attemptTimeout = attemptTimeout;
    this.limits = limits;
  }

  /**
   * Sets how long the step stays with a worker without renewals, which workers send at a third of
   * it. 100 ms to 24 h; default 30 s.
   */
  public StepOptions lease(Duration lease) {
    Ranges.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return new StepOptions(lease, retry, attemptTimeout, limits);
  }

  /**
   * Sets the retries. A lost lease is a failed attempt, too. Default 3 attempts, and delays of up
   * to 5 min. {@link Retry#giveUpAfter} is for parts only.
   */
  public StepOptions retry(Retry retry) {
    return new StepOptions(lease, retry, attemptTimeout, limits);
  }

  /**
   * Sets the time of an attempt, from the grant of the step to a worker to its end, however often
   * it is renewed. At its end the worker loses the task, and the attempt fails with {@code
   * ATTEMPT_TIMEOUT}. 1 s to 30 days; default none.
   */
  public StepOptions attemptTimeout(Duration timeout) {
    Ranges.within("attemptTimeout", timeout, Duration.ofSeconds(1), Duration.ofDays(30));
    return new StepOptions(lease, retry, timeout, limits);
  }

  /**
   * Sets the limits that a run must pass to reach the queue of the step; it waits until all have
   * room. At most 4, each of another name; default none.
   */
  public StepOptions limits(Limit... limits) {
    return new StepOptions(
        lease, retry, attemptTimeout, Arrays.stream(limits).map(Limit::toProto).toList());
  }

  TaskStep.Builder task(String queue) {
    TaskStep.Builder task = TaskStep.newBuilder().setQueue(queue).addAllLimits(limits);
    if (lease != null) {
      task.setLease(ProtoTimes.toProto(lease));
    }
    if (attemptTimeout != null) {
      task.setAttemptTimeout(ProtoTimes.toProto(attemptTimeout));
    }
    return retry == null ? task : task.setRetry(retry.toProto());
  }

  CodeStep.Builder code(String queue) {
    CodeStep.Builder code = CodeStep.newBuilder().setQueue(queue).addAllLimits(limits);
    if (lease != null) {
      code.setLease(ProtoTimes.toProto(lease));
    }
    if (attemptTimeout != null) {
      code.setAttemptTimeout(ProtoTimes.toProto(attemptTimeout));
    }
    return retry == null ? code : code.setRetry(retry.toProto());
  }
}
