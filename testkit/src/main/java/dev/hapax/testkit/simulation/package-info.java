/**
 * Deterministic simulation: several nodes on one store, virtual time and faults, all determined by
 * a seed. Each feature adds its actors and its observer.
 */
@NullMarked
package dev.hapax.testkit.simulation;

import org.jspecify.annotations.NullMarked;
