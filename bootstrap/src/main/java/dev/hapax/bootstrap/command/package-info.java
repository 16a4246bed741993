/** The commands of {@code hapax}: options in, exit codes and messages out. */
@NullMarked
package dev.hapax.bootstrap.command;

import org.jspecify.annotations.NullMarked;
