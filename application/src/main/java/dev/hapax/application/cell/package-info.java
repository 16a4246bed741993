/** The map from workspaces to cells. */
@NullMarked
package dev.hapax.application.cell;

import org.jspecify.annotations.NullMarked;
