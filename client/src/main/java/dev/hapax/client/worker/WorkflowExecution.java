package dev.hapax.client.worker;

import dev.hapax.client.Codec;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution of a workflow, from its beginning to its end or to where it waits. */
final class WorkflowExecution<T extends @Nullable Object> {

  private static final Logger log = LoggerFactory.getLogger(WorkflowExecution.class);

  private final WorkflowContext context;

  WorkflowExecution(TaskContext task, Clock clock) {
    this.context = new WorkflowContext(task, clock);
  }

  TaskResult run(Codec<T> codec, Workflow<? extends T> workflow) throws Exception {
    T value;
    try {
      value = workflow.run(context);
    } catch (Throwable thrown) {
      Optional<Suspension> waits = context.suspension();
      if (waits.isEmpty()) {
        throw thrown;
      }
      if (!(thrown instanceof SuspendExecution)) {
        log.warn("a workflow turned its wait into something else; it waits all the same", thrown);
      }
      return waits.get();
    }
    Optional<Suspension> waits = context.suspension();
    if (waits.isPresent()) {
      log.warn("a workflow caught its wait; what it answered is dropped, and it waits");
      return waits.get();
    }
    return context.completion(Completion.of(codec, value));
  }
}
