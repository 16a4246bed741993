/**
 * Janitors: contracts that free stuck entities, their coverage of claim states, and their sweeps.
 */
@NullMarked
package dev.hapax.domain.janitor;

import org.jspecify.annotations.NullMarked;
