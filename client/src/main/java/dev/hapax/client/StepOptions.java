package dev.hapax.client;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.TaskStep;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The lease and the retries of a step. Immutable: each method returns a copy. */
public final class StepOptions {

  static final StepOptions DEFAULT = new StepOptions(null, null);

  private final @Nullable Duration lease;
  private final @Nullable Retry retry;

  private StepOptions(@Nullable Duration lease, @Nullable Retry retry) {
    this.lease = lease;
    this.retry = retry;
  }

  /**
   * Sets how long the step stays with a worker without renewals, which workers send at a third of
   * it. 100 ms to 24 h; default 30 s.
   */
  public StepOptions lease(Duration lease) {
    Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return new StepOptions(lease, retry);
  }

  /**
   * Sets the retries. A lost lease is a failed attempt, too. Default 3 attempts, and delays of up
   * to 5 min. {@link Retry#giveUpAfter} is for parts only.
   */
  public StepOptions retry(Retry retry) {
    return new StepOptions(lease, retry);
  }

  TaskStep.Builder task(String queue) {
    TaskStep.Builder task = TaskStep.newBuilder().setQueue(queue);
    if (lease != null) {
      task.setLease(ProtoTimes.toProto(lease));
    }
    return retry == null ? task : task.setRetry(retry.toProto());
  }

  CodeStep.Builder code(String queue) {
    CodeStep.Builder code = CodeStep.newBuilder().setQueue(queue);
    if (lease != null) {
      code.setLease(ProtoTimes.toProto(lease));
    }
    return retry == null ? code : code.setRetry(retry.toProto());
  }
}
