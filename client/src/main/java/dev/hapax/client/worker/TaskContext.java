package dev.hapax.client.worker;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.client.hook.HookAnswer;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalOutput;
import dev.hapax.v1.Task;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A task and its claim, for its handler. Safe to use from any thread. */
public final class TaskContext {

  private final Task task;
  private final ClaimLease lease;
  private final InFlightTasks inFlight;
  private final PartReports reports;
  private final TaskHooks hooks;
  private final TaskTransaction transaction;
  private final RunningParts runningParts;

  TaskContext(Task task, ClaimLease lease, InFlightTasks inFlight, TaskTransaction transaction) {
    this.task = task;
    this.lease = lease;
    this.inFlight = inFlight;
    this.reports = new PartReports(inFlight.calls(), lease);
    this.hooks = new TaskHooks(inFlight.calls(), lease, task.getRun().getId());
    this.transaction = transaction;
    this.runningParts = new RunningParts(lease);
  }

  /**
   * The id of the step: globally unique, and the same on every attempt. Pass it to other systems as
   * the idempotency key.
   */
  public String stepId() {
    return task.getStep().getId();
  }

  /** The name of the step in its definition. */
  public String stepName() {
    return task.getStep().getName();
  }

  /**
   * The number of the attempt, from 1. It rises after a failure or a lost lease, not after a
   * suspension.
   */
  public int attempt() {
    return task.getStep().getAttempt();
  }

  /** Whether the run fails if this attempt does: no attempt of the step is left. */
  public boolean isLastAttempt() {
    return task.getLastAttempt();
  }

  /** The id of the run. */
  public String runId() {
    return task.getRun().getId();
  }

  /**
   * The fencing token: it only rises for one step. Pass it to the systems that the work writes to,
   * and reject lower tokens there.
   */
  public long fence() {
    return task.getClaim().getFence();
  }

  /**
   * The input of the run.
   *
   * @throws IllegalArgumentException if the codec cannot read it
   */
  public <T extends @Nullable Object> T input(PayloadCodec<T> codec) {
    return codec.decode(task.hasInput() ? task.getInput() : null);
  }

  /** The output of the previous step; void if there is none. */
  public <T extends @Nullable Object> T previousOutput(PayloadCodec<T> codec) {
    return codec.decode(task.getRun().hasOutput() ? task.getRun().getOutput() : null);
  }

  /**
   * The payload of the signal that an earlier signal step received; void if it had none.
   *
   * @throws IllegalArgumentException if the task has no output of such a step, or the codec cannot
   *     read it
   */
  public <T extends @Nullable Object> T signalOutput(String stepName, PayloadCodec<T> codec) {
    SignalOutput found =
        task.getSignalOutputsList().stream()
            .filter(output -> output.getStepName().equals(stepName))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        task.getMoreSignalOutputs()
                            ? "the output of step " + stepName + " did not fit into the task"
                            : "no earlier signal step is named " + stepName));
    return codec.decode(found.hasOutput() ? found.getOutput() : null);
  }

  /** The run's state at the grant of the task: a JSON object. */
  public String state() {
    String json = task.getState().getJson();
    return json.isEmpty() ? "{}" : json;
  }

  /** The failure of the previous attempt, from the second one on. */
  public Optional<Failure> previousFailure() {
    return task.getStep().hasFailure()
        ? Optional.of(task.getStep().getFailure())
        : Optional.empty();
  }

  /**
   * The run's inbox at the grant of the task, oldest first: the first 100 signals. A signal stays
   * there until a {@link Completion#consuming} names it.
   */
  public List<Signal> signals() {
    return task.getSignalsList();
  }

  /** The task as Hapax sent it. */
  public Task task() {
    return task;
  }

  /**
   * Whether the task is lost: the run was cancelled, another worker has the step, or heartbeats
   * failed for the whole lease. Work that can still stop should stop. Once true, it stays true. The
   * result of the handler is dropped, unless Hapax was just unreachable.
   */
  public boolean isLost() {
    return lease.isLost();
  }

  /**
   * Runs the listener once, on another thread, when the task is lost while the handler runs; at
   * once if it is lost already. The handler's thread is interrupted too, see {@link
   * WorkerBuilder#interruptWhenLost}.
   */
  public void onLost(Runnable listener) {
    lease.onLost(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Throws if the task is lost.
   *
   * @throws TaskLostException if the task {@link #isLost}
   */
  public void throwIfLost() {
    if (isLost()) {
      throw TaskTransaction.lost(lease, null);
    }
  }

  /**
   * Completes the step in your own transaction on the database of Hapax: the run continues if and
   * only if the transaction commits. Call it last, as it locks the run until then, and end the
   * transaction before the handler returns. The lease is not renewed any more.
   *
   * <pre>{@code
   * task -> {
   *   try (Connection connection = dataSource.getConnection()) {
   *     connection.setAutoCommit(false);
   *     insertPayment(connection, task.stepId());
   *     Completion done = task.complete(connection, Completion.of(PayloadCodec.json(), receipt));
   *     connection.commit();
   *     return done;
   *   }
   * }
   * }</pre>
   *
   * <p>If the commit throws, let the exception leave the handler: the worker then reports a
   * failure, which counts only if the transaction was not committed.
   *
   * @param completion with an output of a {@link PayloadCodec} that writes JSON, which PostgreSQL
   *     normalizes; it consumes no signals and is not {@link Completion#skipped}
   * @return the completion, to be returned by the handler
   * @throws TaskLostException if the task is lost; roll back
   * @throws SqlCompletionException if Hapax refuses the completion; roll back
   * @throws IllegalStateException if a part of the workflow is running on another thread
   * @throws SQLException for any other error of the database
   */
  public Completion complete(Connection connection, Completion completion) throws SQLException {
    runningParts.checkNone();
    transaction.complete(connection, completion);
    return completion;
  }

  /**
   * Requests a token for the run, if this task is still held. The answer is committed. The same
   * request on a later attempt succeeds again.
   *
   * @throws TaskLostException if the task is lost
   */
  public HookAnswer createHook(HookRequest hook) {
    return hooks.create(hook);
  }

  TaskHooks hooks() {
    return hooks;
  }

  ClaimLease lease() {
    return lease;
  }

  InFlightTasks inFlight() {
    return inFlight;
  }

  PartReports reports() {
    return reports;
  }

  RunningParts runningParts() {
    return runningParts;
  }
}
