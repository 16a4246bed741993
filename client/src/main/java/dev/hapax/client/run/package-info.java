/**
 * Durable runs: their definitions, starts, results and control. Start with {@link
 * dev.hapax.client.run.Runs}.
 */
@NullMarked
package dev.hapax.client.run;

import org.jspecify.annotations.NullMarked;
