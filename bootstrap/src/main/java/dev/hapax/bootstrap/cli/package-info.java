/** The commands of {@code hapax}: options in, exit codes and messages out. */
@NullMarked
package dev.hapax.bootstrap.cli;

import org.jspecify.annotations.NullMarked;
