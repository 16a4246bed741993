/** Tokens in PostgreSQL. */
@NullMarked
package dev.hapax.postgres.hook;

import org.jspecify.annotations.NullMarked;
