package dev.hapax.client.run;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.worker.TaskContext;
import dev.hapax.client.worker.Workflow;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.TimerStep;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One version of a definition: the steps of a run in their order. Immutable: every method returns a
 * copy with one more step. Hapax validates it at registration, and reports all broken rules at
 * once.
 *
 * <pre>{@code
 * RunDefinition.of("order", "1")
 *     .task("charge", "payments", StepPolicy.DEFAULT.withMaxAttempts(5))
 *     .signal("approval", "approved", Duration.ofDays(3))
 *     .timer("cooling-off", Duration.ofDays(14))
 *     .code("ship", "warehouse");
 * }</pre>
 */
public final class RunDefinition {

  private final RegisterDefinitionRequest message;

  private RunDefinition(RegisterDefinitionRequest message) {
    this.message = message;
  }

  /**
   * A definition without steps. It needs 1 to 1,000 of them.
   *
   * @param name at most 255 characters
   * @param version any text of at most 255 characters; a registered version never changes
   */
  public static RunDefinition of(String name, String version) {
    return new RunDefinition(
        RegisterDefinitionRequest.newBuilder()
            .setName(KeyText.check("name", name))
            .setVersion(KeyText.check("version", version))
            .build());
  }

  /** Adds a step for the workers of this queue, with the default policy. */
  public RunDefinition task(String name, String queue) {
    return task(name, queue, StepPolicy.DEFAULT);
  }

  /**
   * Adds a step for the workers of this queue.
   *
   * @param name unique in the definition, at most 100 characters
   * @param queue at most 255 characters
   */
  public RunDefinition task(String name, String queue, StepPolicy policy) {
    return with(StepDefinition.newBuilder().setName(name).setTask(work(queue, policy)));
  }

  /**
   * Adds a step that no other worker gets once its lease is over. Its effect is then in doubt,
   * until its worker ends it after all, or an operator settles it. A failure that the worker
   * reports is retried by the policy.
   */
  public RunDefinition taskAtMostOnce(String name, String queue, StepPolicy policy) {
    return with(
        StepDefinition.newBuilder().setName(name).setTask(work(queue, policy).setAtMostOnce(true)));
  }

  private static TaskStep.Builder work(String queue, StepPolicy policy) {
    TaskStep.Builder task = TaskStep.newBuilder().setQueue(queue);
    if (policy.lease() != null) {
      task.setLease(ProtoTimes.toProto(policy.lease()));
    }
    if (!policy.retry().equals(RetryPolicy.getDefaultInstance())) {
      task.setRetry(policy.retry());
    }
    return task;
  }

  /** Adds a {@link Workflow} for the workers of this queue, with the default policy. */
  public RunDefinition code(String name, String queue) {
    return code(name, queue, StepPolicy.DEFAULT);
  }

  /**
   * Adds a {@link Workflow} for the workers of this queue.
   *
   * @param policy each failed execution of the workflow is an attempt; a suspension is none
   */
  public RunDefinition code(String name, String queue, StepPolicy policy) {
    CodeStep.Builder code = CodeStep.newBuilder().setQueue(queue);
    if (policy.lease() != null) {
      code.setLease(ProtoTimes.toProto(policy.lease()));
    }
    if (!policy.retry().equals(RetryPolicy.getDefaultInstance())) {
      code.setRetry(policy.retry());
    }
    return with(StepDefinition.newBuilder().setName(name).setCode(code));
  }

  /** Adds a pause, counted from when the run reaches it. More than 0, at most 365 days. */
  public RunDefinition timer(String name, Duration duration) {
    TimerStep.Builder timer = TimerStep.newBuilder().setDuration(ProtoTimes.toProto(duration));
    return with(StepDefinition.newBuilder().setName(name).setTimer(timer));
  }

  /** Adds a pause until a time, the same for all runs. */
  public RunDefinition timer(String name, Instant until) {
    TimerStep.Builder timer = TimerStep.newBuilder().setUntil(ProtoTimes.toProto(until));
    return with(StepDefinition.newBuilder().setName(name).setTimer(timer));
  }

  /** Adds a step that waits for a signal of this type, without a timeout. */
  public RunDefinition signal(String name, String type) {
    return signal(name, AwaitedSignal.ofType(type), null);
  }

  /** Adds a step that waits for a signal of this type, with a timeout. */
  public RunDefinition signal(String name, String type, Duration timeout) {
    return signal(name, AwaitedSignal.ofType(type), timeout);
  }

  /**
   * Adds a step that waits for a signal. The signal's payload is its output, which later steps read
   * with {@link TaskContext#signalOutput}.
   *
   * @param awaited anything but {@link AwaitedSignal#ofHook}, which belongs to one run
   * @param timeout more than 0, at most 365 days; then the run is FAILED with SIGNAL_TIMEOUT; null
   *     = never
   */
  public RunDefinition signal(String name, AwaitedSignal awaited, @Nullable Duration timeout) {
    SignalStep.Builder signal = awaited.step();
    if (timeout != null) {
      signal.setTimeout(ProtoTimes.toProto(timeout));
    }
    return with(StepDefinition.newBuilder().setName(name).setSignal(signal));
  }

  private RunDefinition with(StepDefinition.Builder step) {
    return new RunDefinition(message.toBuilder().addSteps(step).build());
  }

  RegisterDefinitionRequest toProto() {
    return message;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunDefinition that && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }
}
