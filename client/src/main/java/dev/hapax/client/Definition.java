package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TimerStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * One version of a definition: the steps of a run in their order. Immutable: each method returns a
 * copy with one more step. Hapax validates it at registration, and reports all broken rules at
 * once.
 *
 * <pre>{@code
 * Definition.of("order", "1")
 *     .task("charge", "payments", step -> step.retry(Retry.attempts(5)))
 *     .signal("approval", "approved", Duration.ofDays(3))
 *     .timer("cooling-off", Duration.ofDays(14))
 *     .code("ship", "warehouse");
 * }</pre>
 *
 * @param message as it is sent
 */
public record Definition(dev.hapax.v1.Definition message) {

  /**
   * Returns a definition without steps. It needs 1 to 1,000 of them.
   *
   * @param name 1 to 255 characters
   * @param version any text of 1 to 255 characters; a registered version never changes
   */
  public static Definition of(String name, String version) {
    return new Definition(
        dev.hapax.v1.Definition.newBuilder()
            .setName(KeyText.required("name", name))
            .setVersion(KeyText.required("version", version))
            .build());
  }

  /** Its name. */
  public String name() {
    return message.getName();
  }

  /** Its version. */
  public String version() {
    return message.getVersion();
  }

  /**
   * Sets the timeout of runs that are started without one: {@link StartOptions#timeout}. More than
   * 0, at most 365 days; default none.
   */
  public Definition timeout(Duration timeout) {
    Ranges.within("timeout", timeout, Duration.ofNanos(1), Duration.ofDays(365));
    return new Definition(message.toBuilder().setTimeout(ProtoTimes.toProto(timeout)).build());
  }

  /**
   * Sets the limits that a run must pass to start; it waits until all have room. It counts until
   * its end, also while it sleeps. Its start must have no hooks. At most 4, each of another name;
   * default none.
   */
  public Definition limits(Limit... limits) {
    return new Definition(
        message.toBuilder()
            .clearLimits()
            .addAllLimits(Arrays.stream(limits).map(Limit::toProto).toList())
            .build());
  }

  /** Adds a step for the workers of this queue. */
  public Definition task(String name, String queue) {
    return task(name, queue, UnaryOperator.identity());
  }

  /**
   * Adds a step for the workers of this queue, with options.
   *
   * @param name unique in the definition, at most 100 characters
   * @param queue at most 255 characters
   */
  public Definition task(String name, String queue, UnaryOperator<StepOptions> options) {
    return add(step(name).setTask(options.apply(StepOptions.DEFAULT).task(queue)));
  }

  /**
   * Adds a step that no other worker gets once its lease is over. Its effect is then in doubt,
   * until its worker ends it after all, or an operator settles it. A failure that the worker
   * reports is retried by the options.
   */
  public Definition taskAtMostOnce(String name, String queue, UnaryOperator<StepOptions> options) {
    return add(
        step(name).setTask(options.apply(StepOptions.DEFAULT).task(queue).setAtMostOnce(true)));
  }

  /** Adds a step that is code, for the workers of this queue. */
  public Definition code(String name, String queue) {
    return code(name, queue, UnaryOperator.identity());
  }

  /**
   * Adds a step that is code, for the workers of this queue, with options. Each failed execution of
   * the code is an attempt; a suspension is none.
   */
  public Definition code(String name, String queue, UnaryOperator<StepOptions> options) {
    return add(step(name).setCode(options.apply(StepOptions.DEFAULT).code(queue)));
  }

  /** Adds a pause, counted from when the run reaches it. More than 0, at most 365 days. */
  public Definition timer(String name, Duration duration) {
    return add(
        step(name).setTimer(TimerStep.newBuilder().setDuration(ProtoTimes.toProto(duration))));
  }

  /** Adds a pause until a time, the same for all runs. */
  public Definition timer(String name, Instant until) {
    return add(step(name).setTimer(TimerStep.newBuilder().setUntil(ProtoTimes.toProto(until))));
  }

  /** Adds a step that waits for a signal of this type, without a timeout. */
  public Definition signal(String name, String type) {
    return signal(name, signal -> signal.type(type));
  }

  /** Adds a step that waits for a signal of this type, with a timeout. */
  public Definition signal(String name, String type, Duration timeout) {
    return signal(name, signal -> signal.type(type).timeout(timeout));
  }

  /**
   * Adds a step that waits for a signal: any, unless the options name a type or a hook. The payload
   * of the signal is its output.
   */
  public Definition signal(String name, UnaryOperator<SignalOptions> options) {
    return add(step(name).setSignal(options.apply(SignalOptions.ANY).message()));
  }

  private static StepDefinition.Builder step(String name) {
    return StepDefinition.newBuilder().setName(name);
  }

  private Definition add(StepDefinition.Builder step) {
    return new Definition(message.toBuilder().addSteps(step).build());
  }
}
