/** The settings of a server, and their values from options, variables and a file. */
@NullMarked
package dev.hapax.bootstrap.config;

import org.jspecify.annotations.NullMarked;
