/** The table of definitions, and what is remembered of it. */
@NullMarked
package dev.hapax.postgres.definition;

import org.jspecify.annotations.NullMarked;
