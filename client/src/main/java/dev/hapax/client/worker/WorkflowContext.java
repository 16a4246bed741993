package dev.hapax.client.worker;

import dev.hapax.client.Codec;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.HapaxException;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Signal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The durable operations of a {@link Workflow}. Every step, sleep and wait has a name of 1 to 100
 * characters, the same in every execution; a name that occurs twice in one execution ends the run
 * as FAILED.
 *
 * <p>{@link #step} may be called from any thread, {@link #sleep} and {@link #awaitSignal} only from
 * that of the workflow. When the workflow returns, throws or waits, the worker first lets the
 * running bodies of steps end, and records them. These methods throw {@link TaskLostException} when
 * the task is lost, {@link HapaxException.Unavailable} when Hapax is unreachable, and {@link
 * FinalFailure} when Hapax rejects the record; do not catch them.
 */
public final class WorkflowContext {

  private static final Payload NULL = Payload.newBuilder().setJson("null").build();
  private static final Payload TIMED_OUT =
      Payload.newBuilder().setJson("{\"@type\":\"hapax.dev/signal-timeout\"}").build();
  private static final Duration LONGEST = Duration.ofDays(365);

  private final TaskContext task;
  private final Clock clock;
  private final RecordedSteps steps;
  private final Inbox inbox;
  private final StatePatch patch = new StatePatch();
  private final Queue<String> disposals = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Suspension suspension;

  WorkflowContext(TaskContext task, Clock clock) {
    this.task = task;
    this.clock = clock;
    this.steps = new RecordedSteps(task.task(), task.recorder());
    this.inbox = new Inbox(task.signals());
  }

  /** The task of this execution, with its attempt and its loss. */
  public TaskContext task() {
    return task;
  }

  /** The input of the run; see {@link TaskContext#input}. */
  public <T extends @Nullable Object> T input(Codec<T> codec) {
    return task.input(codec);
  }

  /** The run's state at the begin of this execution: a JSON object. */
  public String state() {
    return task.state();
  }

  /**
   * Changes a member of the run's state when this execution ends or waits. A second change of a
   * member replaces the first.
   *
   * @param json merged into the member by RFC 7396; {@code null} removes it
   */
  public void patchState(String member, String json) {
    patch.put(member, json);
  }

  /** A step with a JSON result; see {@link #step(String, Codec, StepBody)}. */
  public <E extends Exception> String step(String name, StepBody<String, E> body) throws E {
    return step(name, Codec.json(), body);
  }

  /**
   * Runs the body unless its result is recorded, and records the result. The body does not run in
   * later executions.
   *
   * @param codec of the result, at most {@link Codec#MAX_BYTES}
   * @return the recorded result, decoded also in the first execution
   * @throws IllegalStateException if the workflow has ended
   */
  public <T extends @Nullable Object, E extends Exception> T step(
      String name, Codec<T> codec, StepBody<? extends T, E> body) throws E {
    checkActive();
    task.runningSteps().begin();
    try {
      Optional<Payload> before = steps.find(name);
      if (before.isPresent()) {
        return decode(codec, before.get());
      }
      Payload output = codec.encode(body.run(task.stepId() + "/" + name));
      return decode(codec, steps.record(name, output == null ? NULL : output, List.of()));
    } finally {
      task.runningSteps().end();
    }
  }

  /**
   * Suspends this execution; the next one continues here when the time has passed. It occupies no
   * worker meanwhile. Zero or less is no wait.
   *
   * @param duration at most 365 days; measured by Hapax, exact to about a second
   */
  public void sleep(String name, Duration duration) {
    checkActive();
    Duration left = left(name, duration);
    if (!left.isZero()) {
      suspend(Suspension.during(left));
    }
  }

  /** As {@link #awaitSignal(String, AwaitedSignal, Codec)}, for a type, which is also the name. */
  public <T extends @Nullable Object> T awaitSignal(String type, Codec<T> codec) {
    return awaitSignal(type, AwaitedSignal.ofType(type), codec);
  }

  /**
   * Consumes the oldest matching signal of the run's inbox. Without one, it suspends this
   * execution, and the next one continues here when a signal has arrived.
   *
   * @return the payload; void if it has none
   */
  public <T extends @Nullable Object> T awaitSignal(
      String name, AwaitedSignal awaited, Codec<T> codec) {
    checkActive();
    Payload payload = steps.find(name).or(() -> receive(name, awaited)).orElse(null);
    if (payload == null) {
      throw suspend(Suspension.untilSignal(awaited));
    }
    return decode(codec, payload);
  }

  /**
   * As {@link #awaitSignal(String, AwaitedSignal, Codec)}, with a timeout. It records the deadline
   * as {@code <name>.deadline}.
   *
   * @param timeout at most 365 days
   * @return empty = the wait timed out; later signals stay in the inbox
   */
  public <T> Optional<T> awaitSignal(
      String name, AwaitedSignal awaited, Codec<T> codec, Duration timeout) {
    checkActive();
    Payload payload = steps.find(name).or(() -> receive(name, awaited)).orElse(null);
    if (payload == null) {
      Duration left = left(name + ".deadline", timeout);
      if (!left.isZero()) {
        throw suspend(Suspension.during(left).orSignal(awaited));
      }
      payload = steps.record(name, TIMED_OUT, List.of());
    }
    return payload.equals(TIMED_OUT) ? Optional.empty() : Optional.of(decode(codec, payload));
  }

  /**
   * Requests a token. When this returns, its owner is committed; do nothing before that a duplicate
   * run must not do.
   *
   * @param codec of the payloads of {@link WorkflowHook#await}: those of the signals sent to this
   *     token
   */
  public <T extends @Nullable Object> WorkflowHook<T> hook(HookRequest request, Codec<T> codec) {
    checkActive();
    String name = "hook/" + request.fingerprint();
    Payload answer =
        steps
            .find(name)
            .orElseGet(
                () -> steps.record(name, TaskHooks.encode(task.createHook(request)), List.of()));
    return new WorkflowHook<>(this, request, name, codec, TaskHooks.decode(answer));
  }

  void disposeLater(String token) {
    disposals.add(token);
  }

  /**
   * Frees the tokens of closed hooks. An execution that waits or fails keeps those that it closes
   * on its way out.
   */
  private void dispose() {
    for (String token = disposals.poll(); token != null; token = disposals.poll()) {
      task.hooks().dispose(token);
    }
  }

  private Optional<Payload> receive(String name, AwaitedSignal awaited) {
    Optional<Signal> signal = inbox.take(awaited);
    return signal.map(
        s -> steps.record(name, s.hasPayload() ? s.getPayload() : NULL, List.of(s.getSignalId())));
  }

  private Duration left(String name, Duration duration) {
    if (duration.compareTo(LONGEST) > 0) {
      throw new FinalFailure(
          "WAIT_TOO_LONG", name + " must wait at most 365 days (was " + duration + ")");
    }
    Optional<Payload> before = steps.find(name);
    if (duration.isZero() || duration.isNegative()) {
      return Duration.ZERO;
    }
    Payload stored =
        before.orElseGet(
            () -> steps.record(name, WakeTime.in(duration, task, clock).encode(), List.of()));
    return WakeTime.decode(name, stored).left(task, clock, duration);
  }

  /** JSON {@code null} as a signal's payload or a step's result is void. */
  private static <T extends @Nullable Object> T decode(Codec<T> codec, Payload stored) {
    return codec.decode(stored.equals(NULL) ? null : stored);
  }

  private SuspendExecution suspend(Suspension chosen) {
    suspension = chosen;
    throw new SuspendExecution();
  }

  /** Stops an execution that continues after its wait, and frees closed hooks. */
  private void checkActive() {
    if (suspension != null) {
      throw new SuspendExecution();
    }
    dispose();
  }

  /** The wait of this execution, if it has one. */
  Optional<Suspension> suspension() {
    return Optional.ofNullable(suspension)
        .map(chosen -> patch.isEmpty() ? chosen : chosen.withStatePatch(patch.json()));
  }

  Completion completion(Completion plain) {
    dispose();
    return patch.isEmpty() ? plain : plain.withStatePatch(patch.json());
  }
}
