package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/**
 * Code that is a step of a run and has durable steps of its own. It is <em>executed</em> from its
 * beginning again whenever it waited or failed, on any worker, and is given what it recorded: so it
 * goes on where it was.
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
 * <p>What is not in a step runs in every execution: it should have no effects, and depend on
 * nothing but the input and what was recorded. Which steps there are may change as long as names
 * keep their meaning.
 *
 * <p>Where it waits the execution ends, by an {@link Error} that is not for this code: do not catch
 * {@code Throwable} or {@code Error} around {@link WorkflowContext}, and have nothing in a {@code
 * finally} that counts on being at the end. If it is caught all the same, every call that follows
 * throws it again, and the result is dropped.
 */
@FunctionalInterface
public interface Workflow<T extends @Nullable Object> {

  /**
   * Does it.
   *
   * @return the output of the code step
   * @throws Exception as {@link TaskHandler#handle} does; a failure ends this execution, and the
   *     next attempt goes on from what is recorded
   */
  T run(WorkflowContext context) throws Exception;
}
