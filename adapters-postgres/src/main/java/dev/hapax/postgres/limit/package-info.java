/** The tables of limits. */
@NullMarked
package dev.hapax.postgres.limit;

import org.jspecify.annotations.NullMarked;
