/** Reads that decide nothing: their own threads, their own connections, a bounded queue. */
@NullMarked
package dev.hapax.postgres.read;

import org.jspecify.annotations.NullMarked;
