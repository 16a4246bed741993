/** The servers of the installation. */
@NullMarked
package dev.hapax.console.server;

import org.jspecify.annotations.NullMarked;
