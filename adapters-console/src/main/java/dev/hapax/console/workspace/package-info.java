/** The workspaces of the installation. */
@NullMarked
package dev.hapax.console.workspace;

import org.jspecify.annotations.NullMarked;
