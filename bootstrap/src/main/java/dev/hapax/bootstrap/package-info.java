/** The server process and the hapax command. */
@NullMarked
package dev.hapax.bootstrap;

import org.jspecify.annotations.NullMarked;
