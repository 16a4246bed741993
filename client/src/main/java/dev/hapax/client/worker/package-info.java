/**
 * Workers: code that executes the steps of runs, as a {@link dev.hapax.client.worker.TaskHandler}
 * per step or a {@link dev.hapax.client.worker.Workflow} with durable parts of its own.
 */
@NullMarked
package dev.hapax.client.worker;

import org.jspecify.annotations.NullMarked;
