/** The PostgreSQL that hapax brings along. */
@NullMarked
package dev.hapax.bootstrap.database;

import org.jspecify.annotations.NullMarked;
