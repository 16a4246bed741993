/** The directory of cells, and the name of the cell that a database is. */
@NullMarked
package dev.hapax.postgres.cell;

import org.jspecify.annotations.NullMarked;
