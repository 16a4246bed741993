/** Definitions in files: read, checked, and registered when a server starts. */
@NullMarked
package dev.hapax.bootstrap.startup.definition;

import org.jspecify.annotations.NullMarked;
