/** The simulation of operations: actors, models and checks. */
@NullMarked
package dev.hapax.testkit.simulation.operation;

import org.jspecify.annotations.NullMarked;
