package dev.hapax.spring;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.worker.TaskHandler;
import dev.hapax.client.worker.WorkerBuilder;
import dev.hapax.client.worker.Workflow;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bean that adds the handler of one step to the worker of the application.
 *
 * <pre>{@code
 * @Bean
 * StepHandler charge(Bank bank) {
 *   return StepHandler.of("orders", "shop-order", "charge",
 *       task -> Completion.of(PayloadCodec.json(), bank.charge(task.stepId())));
 * }
 * }</pre>
 */
public final class StepHandler {

  private final Consumer<WorkerBuilder> addition;

  private StepHandler(Consumer<WorkerBuilder> addition) {
    this.addition = addition;
  }

  /**
   * Returns the handler of a step, in every version of the definition.
   *
   * @param queue the queue of the step in the definition
   */
  public static StepHandler of(String queue, String definition, String step, TaskHandler handler) {
    Objects.requireNonNull(handler, "handler");
    return new StepHandler(builder -> builder.handle(queue, definition, step, handler));
  }

  /**
   * Returns the workflow of a code step, in every version of the definition.
   *
   * @param codec of the workflow's result
   */
  public static <T extends @Nullable Object> StepHandler ofWorkflow(
      String queue,
      String definition,
      String step,
      PayloadCodec<T> codec,
      Workflow<? extends T> workflow) {
    Objects.requireNonNull(workflow, "workflow");
    return new StepHandler(builder -> builder.workflow(queue, definition, step, codec, workflow));
  }

  void addTo(WorkerBuilder builder) {
    addition.accept(builder);
  }
}
