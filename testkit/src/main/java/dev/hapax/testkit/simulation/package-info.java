/**
 * Runs that depend on a seed alone: several nodes on one store, virtual time, and all that goes
 * wrong between them. Knows no feature; each brings its actors and its witness.
 */
@NullMarked
package dev.hapax.testkit.simulation;

import org.jspecify.annotations.NullMarked;
