package dev.hapax.spring;

import dev.hapax.client.Handler;
import dev.hapax.client.Worker;
import java.util.Objects;

/**
 * A bean that adds the handler of one step to the worker of the application. A {@link
 * dev.hapax.client.Workflow} is such a bean by itself.
 *
 * <pre>{@code
 * @Bean
 * StepHandler charge(Bank bank) {
 *   return new StepHandler("orders", "shop-order", "charge", task -> bank.charge(task.stepId()));
 * }
 * }</pre>
 *
 * @param queue the queue of the step in the definition
 * @param definition whose step it is, in every version
 * @param step its name
 * @param handler does the step
 */
public record StepHandler(String queue, String definition, String step, Handler handler) {

  /** Checks for null. */
  public StepHandler {
    Objects.requireNonNull(queue, "queue");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(step, "step");
    Objects.requireNonNull(handler, "handler");
  }

  void addTo(Worker.Builder builder) {
    builder.step(queue, definition, step, handler);
  }
}
