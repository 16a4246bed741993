/**
 * The ledger: groups commands into transactions, each with one load, one decision in memory and one
 * write.
 */
@NullMarked
package dev.hapax.postgres.ledger;

import org.jspecify.annotations.NullMarked;
