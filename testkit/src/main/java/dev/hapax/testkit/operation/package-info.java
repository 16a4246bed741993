/** The contract of operations on every ledger, and test support for it. */
@NullMarked
package dev.hapax.testkit.operation;

import org.jspecify.annotations.NullMarked;
