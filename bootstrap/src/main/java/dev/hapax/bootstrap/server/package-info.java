/** The server: its parts in the order they start, and the way they stop. */
@NullMarked
package dev.hapax.bootstrap.server;

import org.jspecify.annotations.NullMarked;
