package dev.hapax.client.worker;

import dev.hapax.client.Codec;
import dev.hapax.client.hook.HookAnswer;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalOutput;
import dev.hapax.v1.Task;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a handler knows of its task. Safe to use from any thread. */
public final class TaskContext {

  private final Task task;
  private final ClaimLease lease;
  private final StepRecorder recording;
  private final TaskHooks hooks;

  TaskContext(Task task, ClaimLease lease, StepRecorder recording, TaskHooks hooks) {
    this.task = task;
    this.lease = lease;
    this.recording = recording;
    this.hooks = hooks;
  }

  /**
   * The same on every attempt, and unique in the world: hand it to what the work calls as its
   * idempotency key.
   */
  public String stepId() {
    return task.getStep().getId();
  }

  /** The name of the step in its definition. */
  public String stepName() {
    return task.getStep().getName();
  }

  /** 1 for the first; it rises after a failure or a lost lease, not after a suspension. */
  public int attempt() {
    return task.getStep().getAttempt();
  }

  /** The run. */
  public String runId() {
    return task.getRun().getId();
  }

  /**
   * The fencing token: it only rises for one step. Hand it to what the work writes to, and refuse
   * there whatever carries a lower one.
   */
  public long fence() {
    return task.getClaim().getFence();
  }

  /**
   * What the run was started with.
   *
   * @throws IllegalArgumentException if the codec cannot read it
   */
  public <T extends @Nullable Object> T input(Codec<T> codec) {
    return codec.decode(task.hasInput() ? task.getInput() : null);
  }

  /** What the step before answered; void if there was none, or nothing. */
  public <T extends @Nullable Object> T previousOutput(Codec<T> codec) {
    return codec.decode(task.getRun().hasOutput() ? task.getRun().getOutput() : null);
  }

  /**
   * The payload of the signal that a signal step before this one received; void if it had none.
   *
   * @throws IllegalArgumentException if the task has no output of such a step, or the codec cannot
   *     read it
   */
  public <T extends @Nullable Object> T signalOutput(String stepName, Codec<T> codec) {
    SignalOutput found =
        task.getSignalOutputsList().stream()
            .filter(output -> output.getStepName().equals(stepName))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        task.getMoreSignalOutputs()
                            ? "the output of " + stepName + " did not fit into the task"
                            : "no signal step before this one is named " + stepName));
    return codec.decode(found.hasOutput() ? found.getOutput() : null);
  }

  /** The run's state when the task was handed out: a JSON object. */
  public String state() {
    String json = task.getState().getJson();
    return json.isEmpty() ? "{}" : json;
  }

  /** How the attempt before failed, from the second one on. */
  public Optional<Failure> previousFailure() {
    return task.getStep().hasFailure()
        ? Optional.of(task.getStep().getFailure())
        : Optional.empty();
  }

  /**
   * What was in the run's inbox when the task was handed out, oldest first: the first 100. A signal
   * stays there until a {@link Completion#consuming} names it.
   */
  public List<Signal> signals() {
    return task.getSignalsList();
  }

  /** All that Hapax said of it. */
  public Task task() {
    return task;
  }

  /**
   * Whether the task is lost: the run was cancelled, another worker has the step, or heartbeats did
   * not get through in time. Work that can still stop should. Once true, it stays true. What the
   * handler returns is dropped, unless Hapax just could not be reached.
   */
  public boolean isLost() {
    return lease.isLost();
  }

  /**
   * Runs the listener once, on a thread of its own, when the task is lost while the handler runs;
   * at once if it is lost already. The handler's thread is interrupted as well, see {@link
   * WorkerBuilder#interruptWhenLost}.
   */
  public void onLost(Runnable listener) {
    lease.onLost(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * A checkpoint.
   *
   * @throws TaskLostException if the task {@link #isLost}
   */
  public void throwIfLost() {
    if (isLost()) {
      ClaimLostReason reason = lease.lostReason();
      throw new TaskLostException(
          reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason);
    }
  }

  /**
   * Gives the run a token, if this task is still held. What is answered is committed. Asked again,
   * also on a later attempt, the run gets its own.
   *
   * @throws TaskLostException if the task is lost
   */
  public HookAnswer createHook(HookRequest hook) {
    return hooks.create(hook);
  }

  TaskHooks hooks() {
    return hooks;
  }

  StepRecorder recording() {
    return recording;
  }
}
