package dev.hapax.client;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.TaskStep;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The times and the retries of a step. Immutable: each method returns a copy. */
public final class StepOptions {

  static final StepOptions DEFAULT = new StepOptions(null, null, null);

  private final @Nullable Duration lease;
  private final @Nullable Retry retry;
  private final @Nullable Duration attemptTimeout;

  private StepOptions(
      @Nullable Duration lease, @Nullable Retry retry, @Nullable Duration attemptTimeout) {
    this.lease = lease;
    this.retry = retry;
    this.attemptTimeout = attemptTimeout;
  }

  /**
   * Sets how long the step stays with a worker without renewals, which workers send at a third of
   * it. 100 ms to 24 h; default 30 s.
   */
  public StepOptions lease(Duration lease) {
    Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return new StepOptions(lease, retry, attemptTimeout);
  }

  /**
   * Sets the retries. A lost lease is a failed attempt, too. Default 3 attempts, and delays of up
   * to 5 min. {@link Retry#giveUpAfter} is for parts only.
   */
  public StepOptions retry(Retry retry) {
    return new StepOptions(lease, retry, attemptTimeout);
  }

  /**
   * Sets the time of an attempt, from the grant of the step to a worker to its end, however often
   * it is renewed. At its end the worker loses the task, and the attempt fails with {@code
   * ATTEMPT_TIMEOUT}. 1 s to 30 days; default none.
   */
  public StepOptions attemptTimeout(Duration timeout) {
    Limits.within("attemptTimeout", timeout, Duration.ofSeconds(1), Duration.ofDays(30));
    return new StepOptions(lease, retry, timeout);
  }

  TaskStep.Builder task(String queue) {
    TaskStep.Builder task = TaskStep.newBuilder().setQueue(queue);
    if (lease != null) {
      task.setLease(ProtoTimes.toProto(lease));
    }
    if (attemptTimeout != null) {
      task.setAttemptTimeout(ProtoTimes.toProto(attemptTimeout));
    }
    return retry == null ? task : task.setRetry(retry.toProto());
  }

  CodeStep.Builder code(String queue) {
    CodeStep.Builder code = CodeStep.newBuilder().setQueue(queue);
    if (lease != null) {
      code.setLease(ProtoTimes.toProto(lease));
    }
    if (attemptTimeout != null) {
      code.setAttemptTimeout(ProtoTimes.toProto(attemptTimeout));
    }
    return retry == null ? code : code.setRetry(retry.toProto());
  }
}
