/** Cells: the databases of one installation, and the workspaces in each of them. */
@NullMarked
package dev.hapax.domain.cell;

import org.jspecify.annotations.NullMarked;
