/** Shared by all commands that call a server. */
@NullMarked
package dev.hapax.bootstrap.cli.call;

import org.jspecify.annotations.NullMarked;
