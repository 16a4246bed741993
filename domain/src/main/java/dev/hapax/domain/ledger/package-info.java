/**
 * The port through which every decision goes: commands in, outcomes out, each as if it ran alone.
 */
@NullMarked
package dev.hapax.domain.ledger;

import org.jspecify.annotations.NullMarked;
