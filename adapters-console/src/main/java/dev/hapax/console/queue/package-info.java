/** Queues and the workers that poll them. */
@NullMarked
package dev.hapax.console.queue;

import org.jspecify.annotations.NullMarked;
