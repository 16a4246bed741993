/** The table of definitions and its cache. */
@NullMarked
package dev.hapax.postgres.definition;

import org.jspecify.annotations.NullMarked;
