package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/**
 * Code of a run with durable steps of its own. After every wait or failure it is <em>executed</em>
 * again from its beginning, on any worker, with the records of its steps, so that it continues
 * where it stopped.
 *
 * <pre>{@code
 * context -> {
 *   String payment = context.step("charge", stepId -> payments.charge(stepId, order));
 *   context.sleep("cooling-off", Duration.ofDays(14));
 *   String address = context.awaitSignal("address", Codec.json());
 *   return context.step("ship", stepId -> warehouse.ship(stepId, address));
 * }
 * }</pre>
 *
 * <p>Code outside of steps runs in every execution: it should have no effects, and depend on
 * nothing but the input and the records. Steps may change between versions of the code as long as
 * names keep their meaning.
 *
 * <p>A wait ends the execution by an {@link Error} that is not for this code: do not catch {@code
 * Throwable} or {@code Error} around {@link WorkflowContext}, and do not rely on {@code finally} to
 * run only at the end. If the error is caught, every later call throws it again, and the result is
 * dropped.
 */
@FunctionalInterface
public interface Workflow<T extends @Nullable Object> {

  /**
   * Executes the workflow.
   *
   * @return the output of the code step
   * @throws Exception as {@link TaskHandler#handle} does; a failure ends this execution, and the
   *     next attempt continues from the records
   */
  T run(WorkflowContext context) throws Exception;
}
