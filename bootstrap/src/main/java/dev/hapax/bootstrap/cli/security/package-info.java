/** {@code hapax whoami}: shows who the caller is. */
@NullMarked
package dev.hapax.bootstrap.cli.security;

import org.jspecify.annotations.NullMarked;
