/** The contract of every ledger, and the one in memory that keeps it. */
@NullMarked
package dev.hapax.testkit.ledger;

import org.jspecify.annotations.NullMarked;
