package dev.hapax.client.worker;

import org.jspecify.annotations.Nullable;

/**
 * Code of a run with durable parts of its own. After every wait or failure it is <em>executed</em>
 * again from its beginning, on any worker, with the records of its parts, so that it continues
 * where it stopped.
 *
 * <pre>{@code
 * context -> {
 *   String payment = context.record("charge", partId -> payments.charge(partId, order));
 *   context.suspend("cooling-off", Duration.ofDays(14));
 *   String address = context.awaitSignal("address", PayloadCodec.json());
 *   return context.record("ship", partId -> warehouse.ship(partId, address));
 * }
 * }</pre>
 *
 * <p>Code outside of parts runs in every execution: it should have no effects, and depend on
 * nothing but the input and the records. Parts may change between versions of the code as long as
 * names keep their meaning, see {@link OnCodeChange} and {@link WorkflowContext#patched}.
 *
 * <p>A wait, or a longer pause before a part is attempted again, ends the execution by an {@link
 * Error} that is not for this code: do not catch {@code Throwable} or {@code Error} around {@link
 * WorkflowContext}, and do not rely on {@code finally} to run only at the end. If the error is
 * caught, every later call throws it again, and the result is dropped.
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
