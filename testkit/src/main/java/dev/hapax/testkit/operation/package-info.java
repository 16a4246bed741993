/** The contract of operations on any ledger. */
@NullMarked
package dev.hapax.testkit.operation;

import org.jspecify.annotations.NullMarked;
