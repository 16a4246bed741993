/** The ledger port: executes commands serializably and returns their outcomes. */
@NullMarked
package dev.hapax.domain.ledger;

import org.jspecify.annotations.NullMarked;
