/** Lifecycles, drawn as graphs of their statuses. */
@NullMarked
package dev.hapax.console.lifecycle;

import org.jspecify.annotations.NullMarked;
