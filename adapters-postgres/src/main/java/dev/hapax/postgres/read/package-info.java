/** Reads outside of the ledger, with their own threads, connections and bounded queue. */
@NullMarked
package dev.hapax.postgres.read;

import org.jspecify.annotations.NullMarked;
