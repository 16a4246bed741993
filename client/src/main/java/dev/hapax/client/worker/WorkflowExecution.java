package dev.hapax.client.worker;

import dev.hapax.client.Codec;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution of a workflow, from its beginning to its end or its next wait. */
final class WorkflowExecution<T extends @Nullable Object> {

  private static final Logger log = LoggerFactory.getLogger(WorkflowExecution.class);

  private final TaskContext task;
  private final WorkflowContext context;

  WorkflowExecution(TaskContext task, Clock clock) {
    this.task = task;
    this.context = new WorkflowContext(task, clock);
  }

  TaskResult run(Codec<T> codec, Workflow<? extends T> workflow) throws Exception {
    T value;
    try {
      value = runToEnd(workflow);
    } catch (Throwable thrown) {
      Optional<Suspension> waits = context.suspension();
      if (waits.isEmpty()) {
        throw thrown;
      }
      if (!(thrown instanceof SuspendExecution)) {
        log.warn("the workflow replaced the error of its wait; it is suspended anyway", thrown);
      }
      return waits.get();
    }
    Optional<Suspension> waits = context.suspension();
    if (waits.isPresent()) {
      log.warn(
          "the workflow caught the error of its wait; its result is dropped, and it is suspended");
      return waits.get();
    }
    return context.completion(Completion.of(codec, value));
  }

  private T runToEnd(Workflow<? extends T> workflow) throws Exception {
    try {
      return workflow.run(context);
    } finally {
      task.runningSteps().close();
    }
  }
}
