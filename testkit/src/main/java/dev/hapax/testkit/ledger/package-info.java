/** The contract of every ledger, and in-memory ledgers for tests. */
@NullMarked
package dev.hapax.testkit.ledger;

import org.jspecify.annotations.NullMarked;
