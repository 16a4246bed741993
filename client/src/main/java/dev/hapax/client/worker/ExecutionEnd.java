package dev.hapax.client.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an execution ends before its code does. */
sealed interface ExecutionEnd {

  /** The end of an execution that has both. */
  ExecutionEnd or(ExecutionEnd other);

  /**
   * The result of the task.
   *
   * @throws FailedExecution if the execution fails
   */
  TaskResult result(StatePatch patch);

  /** The execution fails. Another end would lose what the failure says of its part. */
  record Failing(TaskVerdict verdict, @Nullable Throwable cause) implements ExecutionEnd {
    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      return this;
    }

    @Override
    public TaskResult result(StatePatch patch) {
      throw new FailedExecution(verdict, cause);
    }
  }

  /**
   * The workflow waits. With a recorded end of the wait it keeps its time: a later grant of this
   * attempt counts as the end.
   */
  record Waiting(Suspension suspension) implements ExecutionEnd {
    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      if (other instanceof Failing) {
        return other;
      }
      return other instanceof Paused paused
          ? new Waiting(suspension.orDuring(paused.pause()))
          : this;
    }

    @Override
    public TaskResult result(StatePatch patch) {
      return patch.addTo(suspension);
    }
  }

  /** Another worker may continue. */
  record Released(Release release) implements ExecutionEnd {
    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      return other instanceof Failing || other instanceof Waiting ? other : this;
    }

    @Override
    public TaskResult result(StatePatch patch) {
      return release;
    }
  }

  /** A part is attempted again after the pause. */
  record Paused(Duration pause) implements ExecutionEnd {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    @Override
    public ExecutionEnd or(ExecutionEnd other) {
      if (other instanceof Paused shorter) {
        return shorter.pause.compareTo(pause) < 0 ? shorter : this;
      }
      return other.or(this);
    }

    @Override
    public TaskResult result(StatePatch patch) {
      Duration least = pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause;
      return patch.addTo(Suspension.during(least));
    }
  }
}
