package dev.hapax.client.worker;

import dev.hapax.client.PayloadCodec;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution of a workflow, from its beginning to its end or its next wait. */
final class WorkflowExecution<T extends @Nullable Object> {

  private static final Logger log = LoggerFactory.getLogger(WorkflowExecution.class);

  private final Execution execution;
  private final WorkflowScope scope;

  WorkflowExecution(TaskContext task, @Nullable Clock clock, CodeChanges codeChanges) {
    this.execution = new Execution(task, clock, codeChanges);
    this.scope = new WorkflowScope(execution, "", null);
  }

  TaskResult run(PayloadCodec<T> codec, Workflow<? extends T> workflow) throws Exception {
    T value;
    try {
      value = runToEnd(workflow);
    } catch (Throwable thrown) {
      Optional<ExecutionEnd> end = scope.ending().chosen();
      if (end.isEmpty()) {
        throw thrown;
      }
      if (!(thrown instanceof EndExecution)) {
        log.warn("the workflow replaced the error that ends its execution, which ends", thrown);
      }
      return end.get().result(execution.patch());
    }
    Optional<ExecutionEnd> end = scope.ending().chosen();
    if (end.isPresent()) {
      log.warn("the workflow caught the error that ends its execution; its result is dropped");
      return end.get().result(execution.patch());
    }
    List<String> leftOver = execution.known().leftOver();
    if (!leftOver.isEmpty()) {
      log.info("run {} ends without the records {}", execution.task().runId(), leftOver);
    }
    execution.dispose();
    return execution.patch().addTo(Completion.of(codec, value));
  }

  private T runToEnd(Workflow<? extends T> workflow) throws Exception {
    try {
      return workflow.run(new WorkflowContext(scope));
    } finally {
      execution.task().runningParts().close();
    }
  }
}
