/**
 * Exhaustive models of the protocol by which runs wait for tokens and limits. Each fault of the
 * protocol is a {@link dev.hapax.testkit.simulation.turn.Mutant} that breaks a {@link
 * dev.hapax.testkit.simulation.turn.Rule}.
 */
@NullMarked
package dev.hapax.testkit.simulation.turn;

import org.jspecify.annotations.NullMarked;
