/** The simulation of operations. */
@NullMarked
package dev.hapax.testkit.simulation.operation;

import org.jspecify.annotations.NullMarked;
